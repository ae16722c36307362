// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/toggle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

// Compiled for processors with AVX2 too, and chosen when the program starts.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define RAMIFY_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RAMIFY_CLONES
#endif

namespace ramify {
namespace {

/// The bucket of each row's place and the side on which it begins: 2 * bucket + is_right.
/// t / (reach + |t|) maps places to (-1, 1), finely near 0 and with room for the tails of a
/// quotient. It needs one division, and not the place itself. Rows whose slope is but rounding
/// (`flat`) never flip: the hyperplanes that part them would have no digits left for the rest.
RAMIFY_CLONES void find_keys(const double* value, const double* slope, std::size_t n, double reach,
                             double flat, int n_buckets, std::uint16_t* key) {
  // In stretches, and numbers of one width at a time, so that it becomes vector code.
  constexpr std::size_t stretch = 256;
  std::int32_t bucket[stretch], is_right[stretch];
  const double half = 0.5 * n_buckets, never = n_buckets, last = n_buckets - 0.5;
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    const std::size_t size = std::min(stretch, n - begin);
    const double *v = value + begin, *x = slope + begin;
    for (std::size_t i = 0; i < size; ++i) {
      const double steep = std::fabs(x[i]);
      const double away = reach * steep + std::fabs(v[i]);
      const double squashed = (x[i] < 0 ? v[i] : -v[i]) / (away > 1e-300 ? away : 1e-300);
      const double place = (squashed + 1) * half;
      const double inside = place < last ? place : last;
      bucket[i] = static_cast<std::int32_t>(steep > flat ? inside : never);
      const double stays = v[i] < 0 ? 0.0 : 1.0, begins = x[i] < 0 ? 1.0 : 0.0;
      is_right[i] = static_cast<std::int32_t>(steep > flat ? begins : stays);
    }
    for (std::size_t i = 0; i < size; ++i)
      key[begin + i] = static_cast<std::uint16_t>(2 * bucket[i] + is_right[i]);
  }
}

/// A row that changes sides.
struct Flip {
  double place;
  std::uint32_t row, label;
  bool to_left() const { return is_right; }
  bool is_right;  // at first
};

/// Sorts the places of rows along a line, all or those of some buckets.
class FlipOrder {
 public:
  explicit FlipOrder(const ObliqueProblem& problem) : problem_(problem), key_(problem.n_rows) {}

  /// Finds the bucket of every row. False if no row ever flips.
  bool locate(const double* value, const double* slope, int n_buckets) {
    value_ = value;
    slope_ = slope;
    n_buckets_ = n_buckets;
    if (!find_scale()) return false;
    find_keys(value, slope, key_.size(), reach_, flat_, n_buckets, key_.data());
    return true;
  }
  int n_buckets() const { return n_buckets_; }
  std::span<const std::uint16_t> keys() const { return key_; }

  /// Room for the number of rows in each bucket.
  std::vector<std::uint32_t>& sizes() { return size_; }

  /// Lists the flips of those buckets whose sizes are not 0, bucket after bucket, in order.
  void gather() {
    end_.resize(size_.size());
    std::uint32_t n = 0;
    for (std::size_t b = 0; b < size_.size(); ++b) {
      end_[b] = n;
      n += size_[b];
    }
    flips_.resize(n);
    for (std::size_t row = 0; row < key_.size(); ++row) {
      const std::uint32_t bucket = key_[row] / 2u;
      if (size_[bucket] == 0) continue;
      flips_[end_[bucket]++] = {-value_[row] / slope_[row], static_cast<std::uint32_t>(row),
                                problem_.label[row], key_[row] % 2 == 1};
    }
    for (std::size_t b = 0; b < size_.size(); ++b)
      sort(flips_.data() + (end_[b] - size_[b]), flips_.data() + end_[b]);
  }
  std::span<const Flip> flips() const { return flips_; }

  /// Are two places further apart than rounding may put them?
  bool are_apart(double low, double high) const {
    return high - low > 1e-12 * (reach_ + std::fabs(low) + std::fabs(high));
  }

 private:
  /// What is usual here, from some of the rows. False if no row has a slope.
  bool find_scale() {
    const std::size_t n = key_.size(), some = 64;
    double values = 0, slopes = 0;
    for (std::size_t row = 0; row < n; row += n / some + 1) {
      values += std::fabs(value_[row]);
      slopes += std::fabs(slope_[row]);
    }
    std::size_t n_seen = some;
    if (slopes == 0) {
      for (std::size_t row = 0; row < n; ++row) slopes += std::fabs(slope_[row]);
      n_seen = n;
    }
    if (slopes == 0) return false;
    flat_ = 1e-10 * slopes / static_cast<double>(n_seen);
    reach_ = values / slopes;
    if (!(reach_ > 0) || !std::isfinite(reach_)) reach_ = 1;
    return true;
  }

  static void sort(Flip* begin, Flip* end) {
    constexpr std::ptrdiff_t few = 24;
    if (end - begin > few)
      return std::sort(begin, end, [](const Flip& a, const Flip& b) { return a.place < b.place; });
    for (Flip* at = begin + 1; at < end; ++at) {
      const Flip flip = *at;
      Flip* to = at;
      for (; to > begin && flip.place < to[-1].place; --to) *to = to[-1];
      *to = flip;
    }
  }

  const ObliqueProblem& problem_;
  const double *value_ = nullptr, *slope_ = nullptr;
  double reach_ = 1;  // the size of a usual place
  double flat_ = 0;   // slopes up to here are none
  int n_buckets_ = 0;
  std::vector<std::uint16_t> key_;
  std::vector<std::uint32_t> size_, end_;
  std::vector<Flip> flips_;
};

int power_of_two_near(std::size_t n, int lowest, int highest) {
  const int power = static_cast<int>(std::bit_floor(std::max<std::size_t>(1, n)));
  return std::clamp(power, lowest, highest);
}

/// Any criterion: all flips in order, and its judgement of every interval.
class JudgedScan final : public ToggleScan {
 public:
  JudgedScan(const ObliqueProblem& problem, SideJudge& judge)
      : problem_(problem),
        judge_(judge),
        whole_(problem, judge),
        order_(problem),
        running_(problem.class_weight.size()),
        left_(problem.class_weight.size() * stride),
        scores_(stride),
        rows_of_class_(problem.class_weight.size()) {
    for (const std::uint32_t label : problem.label) ++rows_of_class_[label];
  }

  double score(const double* value) override {
    return whole_.score([&](std::size_t row) { return value[row] < 0; });
  }
  double highest() const override { return std::numeric_limits<double>::infinity(); }

  Interval best(const double* value, const double* slope, double to_beat) override {
    if (!order_.locate(value, slope, power_of_two_near(problem_.n_rows / 2, 1, 8192))) return {};
    sort_all();
    std::uint32_t rows_left = 0;
    std::ranges::fill(running_, 0);
    rows_left_of_class_.assign(running_.size(), 0);
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      if (order_.keys()[row] % 2 == 1) continue;
      ++rows_left;
      ++rows_left_of_class_[problem_.label[row]];
      running_[problem_.label[row]] += problem_.weight_of(row);
    }
    best_ = {};
    best_.score = to_beat;
    has_best_ = false;
    const std::span<const Flip> flips = order_.flips();
    for (std::size_t i = 0; i + 1 < flips.size(); ++i) {
      flip(flips[i]);
      rows_left += flips[i].to_left() ? 1u : ~0u;
      if (!order_.are_apart(flips[i].place, flips[i + 1].place)) continue;
      const double weight_left = std::accumulate(running_.begin(), running_.end(), 0.0);
      if (!is_admissible(problem_, rows_left, weight_left)) continue;
      for (std::size_t k = 0; k < running_.size(); ++k) left_[k * stride + n_cuts_] = running_[k];
      at_[n_cuts_++] = i;
      if (n_cuts_ == SideJudge::capacity) judge_block();
    }
    judge_block();
    return has_best_ ? best_ : Interval{};
  }

 private:
  static constexpr std::size_t stride = SideJudge::stride;

  void sort_all() {
    auto& sizes = order_.sizes();
    sizes.assign(static_cast<std::size_t>(order_.n_buckets()) + 1, 0);
    for (const std::uint16_t key : order_.keys()) ++sizes[key / 2u];
    sizes.back() = 0;  // rows that never flip
    order_.gather();
  }

  void flip(const Flip& flip) {
    double& sum = running_[flip.label];
    std::uint32_t& rows = rows_left_of_class_[flip.label];
    const double weight = problem_.weight_of(flip.row);
    sum += flip.to_left() ? weight : -weight;
    rows += flip.to_left() ? 1u : ~0u;
    // What rounding leaves of a class that is gone matters to criteria with a square root.
    if (rows == 0) sum = 0;
    if (rows == rows_of_class_[flip.label]) sum = problem_.class_weight[flip.label];
  }

  void judge_block() {
    if (n_cuts_ == 0) return;
    constexpr int pack = 4;  // a judge may read up to a multiple of this
    for (std::size_t k = 0; k < running_.size(); ++k)
      for (int i = n_cuts_; i % pack != 0; ++i)
        left_[k * stride + static_cast<std::size_t>(i)] = running_[k];
    judge_.score(left_.data(), n_cuts_, scores_.data());
    for (int i = 0; i < n_cuts_; ++i) {
      if (has_best_ ? !beats(scores_[i], best_.score) : beats(best_.score, scores_[i])) continue;
      if (!(scores_[i] > no_score)) continue;
      best_ = {scores_[i], order_.flips()[at_[i]].place, order_.flips()[at_[i] + 1].place};
      has_best_ = true;
    }
    n_cuts_ = 0;
  }

  const ObliqueProblem& problem_;
  SideJudge& judge_;
  SplitJudge whole_;
  FlipOrder order_;
  std::vector<double> running_, left_, scores_;
  std::vector<std::uint32_t> rows_of_class_, rows_left_of_class_;
  std::size_t at_[SideJudge::capacity];
  int n_cuts_ = 0;
  Interval best_;
  bool has_best_ = false;
};

// Criteria that are sums over classes. The merit of a cut grows with its score:
// score = (merit - merit of the undivided node) * unit / weight of the node.

double log_term(double weight) { return weight > 0 ? weight * std::log2(weight) : 0; }

struct CountedEntropy {
  using Sum = std::uint32_t;
  using Term = std::int64_t;
  using Merit = std::int64_t;
  const std::int64_t* table;

  Term term(Sum rows) const { return table[rows]; }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return (left - table[n_left]) + (right - table[n_right]);
  }
  /// No merit is higher if some rows, left out so far, fall on either side: mixing two sets never
  /// makes them purer.
  static Merit bound(Merit merit, Sum) { return merit; }
};

struct WeightedEntropy {
  using Sum = double;
  using Term = double;
  using Merit = double;

  Term term(Sum weight) const { return log_term(weight); }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return (left - log_term(n_left)) + (right - log_term(n_right));
  }
  static Merit bound(Merit merit, Sum) { return merit; }
};

template <class S, class T>
struct SquareSums {
  using Sum = S;
  using Term = T;
  using Merit = double;

  Term term(Sum weight) const { return static_cast<Term>(weight) * static_cast<Term>(weight); }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return part(left, n_left) + part(right, n_right);
  }
  static Merit bound(Merit merit, Sum left_out) { return merit + static_cast<double>(left_out); }

 private:
  static double part(Term sum, Sum total) {
    return total > 0 ? static_cast<double>(sum) / static_cast<double>(total) : 0;
  }
};
using CountedGini = SquareSums<std::uint32_t, std::int64_t>;
using WeightedGini = SquareSums<double, double>;

/// Class sums of both sides while rows change between them.
template <class Sums>
struct Sides {
  using Sum = typename Sums::Sum;
  using Term = typename Sums::Term;
  struct Class {
    Sum left, right;
    Term left_term, right_term;
  };

  Sums sums;
  std::vector<Class> classes;
  Sum left = 0, right = 0;
  Term left_term = 0, right_term = 0;
  std::uint32_t rows_left = 0;

  void set(std::span<const Sum> in_left, std::span<const Sum> in_node, std::uint32_t rows) {
    classes.resize(in_left.size());
    left = right = 0;
    left_term = right_term = 0;
    rows_left = rows;
    for (std::size_t k = 0; k < in_left.size(); ++k) {
      Class& c = classes[k];
      c.left = in_left[k];
      c.right = in_node[k] - in_left[k];
      c.left_term = sums.term(c.left);
      c.right_term = sums.term(c.right);
      left += c.left;
      right += c.right;
      left_term += c.left_term;
      right_term += c.right_term;
    }
  }
  void flip(std::size_t k, Sum weight, bool to_left) {
    const Sum moved = to_left ? weight : Sum{0} - weight;  // counts wrap around, and back again
    left += moved;
    right -= moved;
    rows_left += to_left ? 1u : ~0u;
    change(k, classes[k].left + moved, classes[k].right - moved);
  }
  /// New sums of one class; the totals are the caller's business.
  void change(std::size_t k, Sum in_left, Sum in_right) {
    const Class c{in_left, in_right, sums.term(in_left), sums.term(in_right)};
    left_term += c.left_term - classes[k].left_term;
    right_term += c.right_term - classes[k].right_term;
    classes[k] = c;
  }
  auto merit() const { return sums.merit(left_term, left, right_term, right); }
};

/// Entropy and Gini. Only those buckets are looked at row by row in which, by what lies left and
/// right of all their rows, the best interval can be.
template <class Sums>
class SummedScan final : public ToggleScan {
 public:
  SummedScan(const ObliqueProblem& problem, Sums sums, double unit)
      : problem_(problem), order_(problem), sides_{sums, {}} {
    const std::size_t n_classes = problem.class_weight.size();
    for (const double weight : problem.class_weight) {
      node_.push_back(static_cast<Sum>(weight));
      total_ += static_cast<Sum>(weight);
      whole_term_ += sums.term(static_cast<Sum>(weight));
    }
    whole_ = sums.merit(whole_term_, total_, 0, 0);
    scale_ = unit / static_cast<double>(total_);
    slack_ = static_cast<Merit>(tie / scale_);
    least_rows_ = std::max(1u, problem.min_rows);
    left_.resize(n_classes);
  }

  double score(const double* value) override {
    std::ranges::fill(left_, 0);
    std::uint32_t rows_left = 0;
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      const bool is_left = value[row] < 0;
      rows_left += is_left;
      left_[problem_.label[row]] += is_left ? weight_of(row) : 0;
    }
    sides_.set(left_, node_, rows_left);
    return is_admissible() ? score_of(sides_.merit()) : no_score;
  }

  /// Of two classes, that of a pure split.
  double highest() const override {
    if (node_.size() > 2) return std::numeric_limits<double>::infinity();
    const Sides<Sums>& s = sides_;
    return score_of(s.sums.merit(s.sums.term(node_[0]), node_[0],
                                 whole_term_ - s.sums.term(node_[0]), total_ - node_[0])) -
           tie;
  }

  Interval best(const double* value, const double* slope, double to_beat) override {
    const std::size_t n = problem_.n_rows;
    const Merit enough = merit_of(to_beat);
    constexpr std::size_t few = 64;
    if (n > few) {
      const int n_buckets = power_of_two_near(n / 32, 16, 2048);
      if (!order_.locate(value, slope, n_buckets)) return {};
      sum_buckets();
      const Merit bar = bound_buckets(enough);
      drop_below(bar);
      order_.gather();
      const Interval interval = walk(bar);
      // A bar that no interval reaches was set where two places lie too close for a cut.
      if (interval.exists() || bar == enough) return interval;
      drop_below(enough);
    } else {
      if (!order_.locate(value, slope, power_of_two_near(n / 2, 1, 2048))) return {};
      sum_buckets();
      bound_buckets(enough);
      drop_below(least);
    }
    order_.gather();
    return walk(enough);
  }

 private:
  using Sum = typename Sums::Sum;
  using Term = typename Sums::Term;
  using Merit = typename Sums::Merit;
  static constexpr bool is_counted = std::is_integral_v<Sum>;
  static constexpr double tie = 1e-12;  // of scores, which are never far above 1
  static constexpr Merit least = std::is_floating_point_v<Merit>
                                     ? -std::numeric_limits<Merit>::infinity()
                                     : std::numeric_limits<Merit>::min() / 2;

  Sum weight_of(std::size_t row) const {
    if constexpr (is_counted)
      return 1;
    else
      return problem_.weight[row];
  }
  double score_of(Merit merit) const { return static_cast<double>(merit - whole_) * scale_; }
  /// The lowest merit that is as good as a score.
  Merit merit_of(double score) const {
    if (!(score > no_score)) return least;
    return whole_ + static_cast<Merit>((score - tie) / scale_);
  }
  bool is_admissible() const {
    const std::uint32_t rows = sides_.rows_left;
    return rows >= least_rows_ && problem_.n_rows - rows >= least_rows_ &&
           static_cast<double>(sides_.left) >= problem_.min_weight &&
           static_cast<double>(sides_.right) >= problem_.min_weight;
  }

  /// Adds up the classes of each bucket, of the rows that begin left and of those that begin right.
  void sum_buckets() {
    const std::size_t n_classes = node_.size();
    const auto n_keys = static_cast<std::size_t>(order_.n_buckets() + 1) * 2;
    sum_.assign(n_keys * n_classes, 0);
    if constexpr (!is_counted) rows_.assign(n_keys, 0);
    const std::uint16_t* key = order_.keys().data();
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      sum_[key[row] * n_classes + problem_.label[row]] += weight_of(row);
      if constexpr (!is_counted) ++rows_[key[row]];
    }
  }

  /// Bounds the merit in every bucket. Returns what the best interval has at least: the merit where
  /// a bucket ends, or `enough`.
  Merit bound_buckets(Merit enough) {
    const std::size_t n_classes = node_.size();
    const auto n_buckets = static_cast<std::size_t>(order_.n_buckets());
    std::ranges::fill(left_, 0);
    std::uint32_t rows_left = 0;
    for (std::size_t b = 0; b <= n_buckets; ++b) {
      for (std::size_t k = 0; k < n_classes; ++k) left_[k] += sum_[2 * b * n_classes + k];
      if constexpr (!is_counted) rows_left += rows_[2 * b];
    }
    if constexpr (is_counted) rows_left = std::accumulate(left_.begin(), left_.end(), 0u);
    sides_.set(left_, node_, rows_left);

    auto& size = order_.sizes();
    size.assign(n_buckets + 1, 0);
    bound_.resize(n_buckets);
    before_.resize(n_buckets * n_classes);
    rows_before_.resize(n_buckets);
    filled_.clear();
    Merit bar = enough, end = least;
    for (std::size_t b = 0; b < n_buckets; ++b) {
      const Sum *leave = &sum_[2 * b * n_classes], *arrive = leave + n_classes;
      Sum left_here = 0, right_here = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        left_here += leave[k];
        right_here += arrive[k];
      }
      std::uint32_t rows_leave, rows_arrive;
      if constexpr (is_counted) {
        rows_leave = left_here;
        rows_arrive = right_here;
      } else {
        rows_leave = rows_[2 * b];
        rows_arrive = rows_[2 * b + 1];
      }
      if (rows_leave + rows_arrive == 0) continue;
      bar = std::max(bar, end);
      filled_.push_back(static_cast<std::uint32_t>(b));
      size[b] = rows_leave + rows_arrive;
      rows_before_[b] = sides_.rows_left;
      Term left_term = sides_.left_term, right_term = sides_.right_term;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const auto c = sides_.classes[k];
        before_[b * n_classes + k] = c.left;
        if (leave[k] == 0 && arrive[k] == 0) continue;
        left_term += sides_.sums.term(c.left - leave[k]) - c.left_term;
        right_term += sides_.sums.term(c.right - arrive[k]) - c.right_term;
        sides_.change(k, c.left - leave[k] + arrive[k], c.right + leave[k] - arrive[k]);
      }
      bound_[b] = Sums::bound(sides_.sums.merit(left_term, sides_.left - left_here, right_term,
                                                sides_.right - right_here),
                              left_here + right_here);
      sides_.left += right_here - left_here;
      sides_.right += left_here - right_here;
      sides_.rows_left += rows_arrive - rows_leave;
      end = is_admissible() ? sides_.merit() - slack_ : least;
    }
    return bar;
  }

  /// Forgets the buckets that cannot hold an interval so good.
  void drop_below(Merit bar) {
    auto& size = order_.sizes();
    const std::size_t n_classes = node_.size();
    for (const std::uint32_t b : filled_) {
      size[b] = 0;
      if (bound_[b] < bar) continue;
      for (std::size_t i = 0; i < 2 * n_classes; ++i)
        if constexpr (is_counted) size[b] += sum_[2 * b * n_classes + i];
      if constexpr (!is_counted) size[b] = rows_[2 * b] + rows_[2 * b + 1];
    }
  }

  /// Looks at every interval in the buckets that are left.
  Interval walk(Merit enough) {
    const std::span<const Flip> flips = order_.flips();
    const auto& size = order_.sizes();
    const std::size_t n_classes = node_.size();
    Interval best;
    Merit found = least;
    bool is_known = false;  // are the sums those of here?
    std::size_t i = 0;
    for (std::size_t j = 0; j < filled_.size(); ++j) {
      const std::uint32_t b = filled_[j];
      if (size[b] == 0) {
        is_known = false;
        continue;
      }
      if (!is_known)
        sides_.set(std::span(before_).subspan(b * n_classes, n_classes), node_, rows_before_[b]);
      is_known = true;
      const bool goes_on = j + 1 < filled_.size() && size[filled_[j + 1]] > 0;
      const std::size_t end = i + size[b], last = goes_on ? end : end - 1;
      for (; i < end; ++i) {
        const Flip& flip = flips[i];
        sides_.flip(flip.label, weight_of(flip.row), flip.to_left());
        if (i >= last || !order_.are_apart(flip.place, flips[i + 1].place)) continue;
        const Merit merit = sides_.merit();
        if (merit < enough || !is_admissible()) continue;
        found = merit;
        enough = merit + slack_;
        if constexpr (std::is_integral_v<Merit>) ++enough;
        best.low = flip.place;
        best.high = flips[i + 1].place;
      }
    }
    if (found > least) best.score = score_of(found);
    return best;
  }

  const ObliqueProblem& problem_;
  FlipOrder order_;
  Sides<Sums> sides_;
  std::vector<Sum> node_, left_;
  Sum total_ = 0;
  Term whole_term_ = 0;
  Merit whole_ = 0, slack_ = 0;
  double scale_ = 1;  // from merit to score
  std::uint32_t least_rows_ = 1;
  std::vector<Sum> sum_;             // [key][class]
  std::vector<std::uint32_t> rows_;  // [key], where weights do not say it
  std::vector<Sum> before_;          // [bucket][class]: left of the bucket
  std::vector<std::uint32_t> rows_before_;
  std::vector<Merit> bound_;           // [bucket]
  std::vector<std::uint32_t> filled_;  // buckets that have rows
};

}  // namespace

LogTable::LogTable(const ObliqueProblem& problem) {
  if (problem.judges[0]->form() != SideJudge::Form::entropy || !problem.weight.empty()) return;
  const auto n = static_cast<double>(problem.n_rows);
  unit = std::ldexp(1.0, std::ilogb(n * std::log2(n) + 1) - 60);  // sums stay below 2^61
  value.resize(problem.n_rows + 1);
  for (std::size_t rows = 1; rows <= problem.n_rows; ++rows) {
    const auto x = static_cast<double>(rows);
    value[rows] = std::llround(x * std::log2(x) / unit);
  }
}

std::unique_ptr<ToggleScan> make_toggle_scan(const ObliqueProblem& problem, const LogTable& logs,
                                             SideJudge& judge) {
  const bool is_counted = problem.weight.empty();
  const auto summed = [&]<class Sums>(Sums sums, double unit) -> std::unique_ptr<ToggleScan> {
    return std::make_unique<SummedScan<Sums>>(problem, sums, unit);
  };
  switch (judge.form()) {
    case SideJudge::Form::entropy:
      return is_counted ? summed(CountedEntropy{logs.value.data()}, logs.unit)
                        : summed(WeightedEntropy{}, 1);
    case SideJudge::Form::gini:
      return is_counted ? summed(CountedGini{}, 1) : summed(WeightedGini{}, 1);
    default:
      return std::make_unique<JudgedScan>(problem, judge);
  }
}

}  // namespace ramify
