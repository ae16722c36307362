// SPDX-License-Identifier: BSD-3-Clause
#include "oblique/toggle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "oblique/flips.hpp"
#include "oblique/side_sums.hpp"

namespace ramify {
namespace {

std::size_t power_of_two_near(std::size_t n, std::size_t lowest, std::size_t highest) {
  return std::clamp(std::bit_floor(n), lowest, highest);
}

/// Any criterion: sorts all flips, and scores every interval.
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
        rows_of_class_(problem.class_weight.size()),
        rows_left_of_class_(problem.class_weight.size()) {
    for (const std::uint32_t label : problem.label) ++rows_of_class_[label];
  }

  double score(const double* value) override {
    return whole_.score([&](std::size_t row) { return value[row] < 0; });
  }
  double highest() const override { return std::numeric_limits<double>::infinity(); }

  Interval best(const double* value, const double* slope, double to_beat) override {
    if (!order_.locate(value, slope, power_of_two_near(problem_.n_rows / 2, 1, 8192))) return {};
    flips_ = sorted();
    std::uint32_t rows_left = begin_low();
    best_ = {.score = to_beat};
    has_best_ = false;
    for (std::size_t i = 0; i + 1 < flips_.size(); ++i) {
      flip(flips_[i]);
      rows_left += flips_[i].to_left ? 1u : ~0u;
      if (!order_.are_apart(flips_[i].place, flips_[i + 1].place)) continue;
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

  std::span<const Flip> sorted() {
    size_.assign(order_.n_buckets() + 1, 0);
    for (const std::uint16_t key : order_.keys()) ++size_[key / 2u];
    return order_.sorted(size_);
  }

  /// Sums the left side for very low t. Returns its number of rows.
  std::uint32_t begin_low() {
    std::ranges::fill(running_, 0);
    std::ranges::fill(rows_left_of_class_, 0);
    std::uint32_t rows_left = 0;
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      if (order_.keys()[row] % 2 == 1) continue;
      ++rows_left;
      ++rows_left_of_class_[problem_.label[row]];
      running_[problem_.label[row]] += problem_.weight_of(row);
    }
    for (std::size_t k = 0; k < running_.size(); ++k) tidy(k);
    return rows_left;
  }

  void flip(const Flip& flip) {
    const double weight = problem_.weight_of(flip.row);
    running_[flip.label] += flip.to_left ? weight : -weight;
    rows_left_of_class_[flip.label] += flip.to_left ? 1u : ~0u;
    tidy(flip.label);
  }

  /// The rounding residue of an absent class matters to criteria with a square root.
  void tidy(std::size_t k) {
    if (rows_left_of_class_[k] == 0) running_[k] = 0;
    if (rows_left_of_class_[k] == rows_of_class_[k]) running_[k] = problem_.class_weight[k];
  }

  void judge_block() {
    if (n_cuts_ == 0) return;
    judge_.score(left_.data(), n_cuts_, scores_.data());
    for (int i = 0; i < n_cuts_; ++i) {
      if (has_best_ ? !beats(scores_[i], best_.score) : beats(best_.score, scores_[i])) continue;
      if (!(scores_[i] > no_score)) continue;
      best_ = {scores_[i], flips_[at_[i]].place, flips_[at_[i] + 1].place};
      has_best_ = true;
    }
    n_cuts_ = 0;
  }

  const ObliqueProblem& problem_;
  SideJudge& judge_;
  SplitJudge whole_;
  FlipOrder order_;
  std::span<const Flip> flips_;
  std::vector<std::uint32_t> size_;  // [bucket]
  std::vector<double> running_, left_, scores_;
  std::vector<std::uint32_t> rows_of_class_, rows_left_of_class_;
  std::size_t at_[SideJudge::capacity];
  int n_cuts_ = 0;
  Interval best_;
  bool has_best_ = false;
};

/// Entropy and Gini. Only those buckets are processed row by row that may contain the best
/// interval, by a bound from what lies on either side of all their rows.
template <class Form>
class SummedScan final : public ToggleScan {
 public:
  SummedScan(const ObliqueProblem& problem, Form form, double unit)
      : problem_(problem), order_(problem), sides_{form, {}}, left_(problem.class_weight.size()) {
    Term terms = 0;
    Sum total = 0;
    for (const double weight : problem.class_weight) {
      node_.push_back(static_cast<Sum>(weight));
      total += node_.back();
      terms += form.term(node_.back());
    }
    whole_ = form.merit(terms, total, 0, 0);
    scale_ = unit / static_cast<double>(total);
    slack_ = static_cast<Merit>(tie / scale_);
    if (node_.size() == 2)  // no split is better than a pure one
      highest_ = score_of(form.merit(form.term(node_[0]), node_[0], form.term(node_[1]), node_[1]));
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
  double highest() const override { return highest_ - tie; }

  Interval best(const double* value, const double* slope, double to_beat) override {
    if (!order_.locate(value, slope, n_buckets())) return {};
    sum_buckets();
    const Merit enough = merit_of(to_beat), bar = bound_buckets(enough);
    Interval best = best_above(bar);
    // No interval reaches the bar if it was set where two positions are too close for a cut.
    if (!best.exists() && bar > enough) best = best_above(enough);
    return best;
  }

 private:
  using Sum = typename Form::Sum;
  using Term = typename Form::Term;
  using Merit = typename Form::Merit;
  static constexpr bool is_counted = std::is_integral_v<Sum>;
  static constexpr double tie = 1e-12;  // of scores, which are never above 1
  static constexpr Merit min = std::is_floating_point_v<Merit>
                                   ? -std::numeric_limits<Merit>::infinity()
                                   : std::numeric_limits<Merit>::min() / 2;

  /// A bucket that has rows.
  struct Bucket {
    std::size_t number;
    std::uint32_t n_rows, rows_before;  // rows left of the whole bucket
    Merit bound;                        // of the intervals that begin or end in it
  };

  /// The fewer rows in a bucket the tighter its bound, but the more there are to compute. The sizes
  /// were measured.
  std::size_t n_buckets() const {
    const std::size_t n = problem_.n_rows;
    return power_of_two_near(n / 32, std::bit_ceil(std::min<std::size_t>(n / 4, 128)), 2048);
  }
  Sum weight_of(std::size_t row) const {
    if constexpr (is_counted)
      return 1;
    else
      return problem_.weight[row];
  }
  double score_of(Merit merit) const { return static_cast<double>(merit - whole_) * scale_; }
  /// The lowest merit that is as good as a score.
  Merit merit_of(double score) const {
    if (!(score > no_score)) return min;
    return whole_ + static_cast<Merit>((score - tie) / scale_);
  }
  bool is_admissible() const {
    const std::uint32_t rows = sides_.rows_left, min_rows = std::max(1u, problem_.min_rows);
    return rows >= min_rows && problem_.n_rows - rows >= min_rows &&
           static_cast<double>(sides_.left) >= problem_.min_weight &&
           static_cast<double>(sides_.right) >= problem_.min_weight;
  }

  /// Sums the classes of each bucket, of the rows that begin left and of those that begin right.
  void sum_buckets() {
    const std::size_t n_classes = node_.size(), n_keys = 2 * (order_.n_buckets() + 1);
    sum_.assign(n_keys * n_classes, 0);
    rows_.assign(n_keys, 0);
    const std::uint16_t* key = order_.keys().data();
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      sum_[key[row] * n_classes + problem_.label[row]] += weight_of(row);
      if constexpr (!is_counted) ++rows_[key[row]];
    }
    if constexpr (is_counted)
      for (std::size_t i = 0; i < n_keys; ++i) rows_[i] = total_of(i);
  }
  Sum total_of(std::size_t key) const {
    const auto begin = sum_.begin() + static_cast<std::ptrdiff_t>(key * node_.size());
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(node_.size()), Sum{0});
  }

  /// Puts the rows on the left that are there for very low t.
  void begin_low() {
    std::ranges::fill(left_, 0);
    std::uint32_t rows_left = 0;
    for (std::size_t key = 0; key < rows_.size(); key += 2) {
      rows_left += rows_[key];
      for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += sum_[key * left_.size() + k];
    }
    sides_.set(left_, node_, rows_left);
  }

  /// Bounds the merit in every bucket. Returns a lower bound of the best interval's merit: the
  /// merit where a bucket ends, or `enough`.
  Merit bound_buckets(Merit enough) {
    begin_low();
    filled_.clear();
    before_.resize(order_.n_buckets() * node_.size());
    Merit end = min;  // where the last bucket with rows ends
    for (std::size_t b = 0; b < order_.n_buckets(); ++b) {
      const std::uint32_t n_leave = rows_[2 * b], n_arrive = rows_[2 * b + 1];
      if (n_leave + n_arrive == 0) continue;
      enough = std::max(enough, end);
      filled_.push_back({b, n_leave + n_arrive, sides_.rows_left, pass(b)});
      sides_.rows_left += n_arrive - n_leave;
      end = is_admissible() ? sides_.merit() - slack_ : min;
    }
    return enough;
  }

  /// Flips the rows of a bucket. Returns an upper bound of the merit on the way: that of the rows
  /// that stay.
  Merit pass(std::size_t b) {
    const std::size_t n_classes = node_.size();
    const Sum *leave = &sum_[2 * b * n_classes], *arrive = leave + n_classes;
    Sum all_leave = 0, all_arrive = 0;
    Term left_term = sides_.left_term, right_term = sides_.right_term;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const auto c = sides_.classes[k];
      before_[b * n_classes + k] = c.left;
      if (leave[k] == 0 && arrive[k] == 0) continue;
      all_leave += leave[k];
      all_arrive += arrive[k];
      left_term += sides_.form.term(c.left - leave[k]) - c.left_term;
      right_term += sides_.form.term(c.right - arrive[k]) - c.right_term;
      sides_.change(k, arrive[k] - leave[k]);
    }
    const Merit merit = sides_.form.merit(left_term, sides_.left - all_leave, right_term,
                                          sides_.right - all_arrive);
    sides_.move(all_arrive - all_leave);
    return Form::bound(merit, all_leave + all_arrive);
  }

  /// Searches the buckets that may contain such a good interval.
  Interval best_above(Merit enough) {
    size_.assign(order_.n_buckets() + 1, 0);
    for (const Bucket& bucket : filled_)
      if (bucket.bound >= enough) size_[bucket.number] = bucket.n_rows;
    const std::span<const Flip> flips = order_.sorted(size_);
    Interval best;
    Merit found = min;
    bool is_here = false;  // whether the sums are those where the bucket begins
    std::size_t i = 0;
    for (std::size_t j = 0; j < filled_.size(); ++j) {
      const Bucket& bucket = filled_[j];
      if (!is_non_constant(j)) {
        is_here = false;
        continue;
      }
      if (!is_here) go_to(bucket);
      is_here = true;
      const std::size_t end = i + bucket.n_rows, last = is_non_constant(j + 1) ? end : end - 1;
      for (; i < end; ++i) {
        sides_.flip(flips[i].label, weight_of(flips[i].row), flips[i].to_left);
        if (i >= last || !order_.are_apart(flips[i].place, flips[i + 1].place)) continue;
        const Merit merit = sides_.merit();
        if (merit < enough || !is_admissible()) continue;
        found = merit;
        enough = merit + slack_;
        best.low = flips[i].place;
        best.high = flips[i + 1].place;
      }
    }
    if (found > min) best.score = score_of(found);
    return best;
  }
  bool is_non_constant(std::size_t j) const {
    return j < filled_.size() && size_[filled_[j].number] > 0;
  }
  void go_to(const Bucket& bucket) {
    const std::size_t n = node_.size();
    sides_.set(std::span(before_).subspan(bucket.number * n, n), node_, bucket.rows_before);
  }

  const ObliqueProblem& problem_;
  FlipOrder order_;
  SideSums<Form> sides_;
  std::vector<Sum> node_, left_;  // [class]
  Merit whole_ = 0;               // of the undivided node
  Merit slack_ = 0;               // merits that differ by less are tied
  double scale_ = 1;              // from merit to score
  double highest_ = std::numeric_limits<double>::infinity();
  std::vector<Sum> sum_;             // [key][class]
  std::vector<std::uint32_t> rows_;  // [key]
  std::vector<Bucket> filled_;
  std::vector<Sum> before_;          // [bucket][class]: left of all its rows
  std::vector<std::uint32_t> size_;  // [bucket]
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
  const auto summed = [&]<class Form>(Form form, double unit) -> std::unique_ptr<ToggleScan> {
    return std::make_unique<SummedScan<Form>>(problem, form, unit);
  };
  switch (judge.form()) {
    case SideJudge::Form::entropy:
      return is_counted ? summed(CountedEntropy{logs.value.data()}, logs.unit)
                        : summed(EntropyOfWeights{}, 1);
    case SideJudge::Form::gini:
      return is_counted ? summed(CountedGini{}, 1) : summed(WeightedGini{}, 1);
    default:
      return std::make_unique<JudgedScan>(problem, judge);
  }
}

}  // namespace ramify
