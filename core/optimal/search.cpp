// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/search.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "optimal/solver.hpp"
#include "util/parallel.hpp"

namespace ramify::optimal {
namespace {

/// So many cuts of the root are solved side by side, whatever the number of threads: all of them
/// know what was known before the first, so that the tree does not depend on threads.
constexpr int round_size = 8;

class RootSearch {
 public:
  RootSearch(const Problem& problem, const SearchOptions& options)
      : problem_(problem),
        options_(options),
        stop_(options.check),
        pool_(std::max(1, options.n_threads)) {
    rows_.assign(problem);
    for (int worker = 0; worker < pool_.size(); ++worker)
      solvers_.emplace_back(stop_.pause_of(worker));
    result_.cost = rows_.leaf();
    result_.tree.cost = result_.cost;
    result_.bound = std::min(result_.cost, problem.penalty);
    for (const Found& known : options.known) offer(copy_of(known));
  }

  SearchResult run() {
    try {
      if (!is_closed()) {
        if (options_.horizon > 0)
          look_ahead();
        else
          exact();
      }
      if (options_.all_roots) all_roots();
    } catch (const Halted&) {
      result_.is_halted = true;
    } catch (const CalledOff&) {
      result_.is_halted = true;
    } catch (const OverBudget&) {
      result_.is_over_budget = true;
    }
    count();
    return std::move(result_);
  }

 private:
  double tolerance() const { return problem_.tolerance; }
  bool is_closed() const { return result_.cost <= result_.bound + tolerance(); }

  /// Moves what the solvers have counted to the result, and sets what they may still use.
  void count() {
    for (Solver& solver : solvers_) {
      result_.n_subproblems += std::exchange(solver.n_subproblems, 0);
      result_.n_cuts += std::exchange(solver.n_cuts, 0);
    }
    const std::uint64_t used = std::min(result_.n_subproblems, options_.max_subproblems);
    for (Solver& solver : solvers_) solver.max_subproblems = options_.max_subproblems - used;
  }

  /// Keeps a tree if it is better than the best.
  void offer(Found found) {
    if (!found.is_exact || !(found.cost < result_.cost - tolerance())) return;
    result_.cost = found.cost;
    result_.tree = std::move(found);
    report(true);
  }
  void report(bool is_better) {
    if (options_.report) options_.report(result_.cost, result_.bound, n_open_, is_better);
  }

  void exact() {
    Found whole = up_to(std::min(options_.max_depth - 1, 3));
    if (options_.max_depth > 3 && !is_floor(whole.cost))
      offer(look_on(rows_, copy_of(whole), options_.max_depth, 3));
    whole = deeper(std::move(whole), options_.max_depth, true);
    if (options_.max_depth <= 2 || is_floor(whole.cost)) result_.bound = result_.cost;
  }

  /// The best tree of some depth at the root; better trees than the best are kept on the way.
  Found up_to(int depth) {
    Found whole = solvers_[0].solve(rows_, std::min(depth, 2), infinity);
    count();
    offer(copy_of(whole));
    for (int next = 3; next <= depth; ++next) whole = deeper(std::move(whole), next, false);
    return whole;
  }
  /// The best tree with one level more than `whole`.
  Found deeper(Found whole, int depth, bool is_last) {
    if (is_floor(whole.cost)) return whole;
    if (depth > 3 || (depth == 3 && !PairSolver::can_solve(rows_)))
      return level(depth, std::move(whole), is_last, {});
    Found found = solvers_[0].solve(rows_, depth, infinity);
    count();
    offer(copy_of(found));
    if (is_last) result_.bound = result_.cost;
    return found;
  }
  /// No tree of any depth costs less than one split, or than one leaf.
  bool is_floor(double cost) const { return cost <= problem_.penalty + tolerance(); }

  /// Solves one depth at the root, where trees of a level less cost as much as `whole`. Returns the
  /// best tree of that depth; at the last depth, one that is no better than that of the result.
  Found level(int depth, Found whole, bool is_last, std::optional<std::uint32_t> only) {
    const bool is_limited = problem_.min_rows > 1;
    Frontier frontier(rows_, is_limited ? whole.floor : whole.cost, only);
    double seen = rows_.leaf();  // without a limit on the rows of leaves
    Found found = std::move(whole);
    double best = only ? infinity : found.cost;  // of this depth
    const double penalty = problem_.penalty;
    const auto wanted = [&] {
      if (!is_last || only) return best - tolerance() - penalty;
      return std::min(best, result_.cost) - tolerance() - penalty - allowed_gap();
    };
    while (true) {
      std::vector<Interval> round;
      while (round.size() < round_size) {
        if (std::optional<Interval> next = frontier.pop(wanted()))
          round.push_back(*next);
        else
          break;
      }
      n_open_ = round.size() + frontier.size();
      if (is_last && !only) {
        double open = frontier.bound();
        for (const Interval& each : round) open = std::min(open, each.bound());
        const double closed = std::min(best, result_.cost) - allowed_gap();
        result_.bound = std::max(result_.bound, std::min(closed, open + penalty));
        if (round.empty() && allowed_gap() > 0 && result_.bound < result_.cost - tolerance())
          result_.is_close = true;
        report(false);
      }
      if (round.empty()) break;
      std::vector<Asked> asked = ask(round, depth, wanted());
      for (std::size_t i = 0; i < round.size(); ++i) {
        seen = std::min(seen, asked[i].sides.left + asked[i].sides.right + penalty);
        const double cost = cost_of(rows_, round[i].column, asked[i]);
        if (cost < best - tolerance()) {
          best = cost;
          found = Found{.cost = cost,
                        .is_exact = true,
                        .depth = depth,
                        .cut = rows_.cut(round[i].column, asked[i].cut),
                        .left = std::make_unique<Found>(std::move(asked[i].left)),
                        .right = std::make_unique<Found>(std::move(asked[i].right))};
          if (!only) offer(copy_of(found));
        }
        frontier.put(round[i], asked[i], wanted());
      }
      if (is_floor(best)) {
        if (is_last && !only) result_.bound = std::max(result_.bound, std::min(best, penalty));
        break;
      }
    }
    found.cost = best;
    found.floor = std::min(seen, is_floor(best) ? penalty : best) - tolerance();
    return found;
  }

  /// What the bound may stay below the best tree.
  double allowed_gap() const {
    return options_.max_gap > 0 ? options_.max_gap * (result_.cost + problem_.penalty) : 0;
  }

  std::vector<Asked> ask(const std::vector<Interval>& round, int depth, double wanted) {
    std::vector<Asked> asked(round.size());
    const int n = static_cast<int>(round.size());
    std::atomic<int> next{0}, n_done{0};
    std::atomic<bool> has_failed{false};
    pool_.run(pool_.size(), [&](int, int worker) {
      try {
        for (int i = next++; i < n; i = next++) {
          const auto place = static_cast<std::size_t>(i);
          Solver& solver = solvers_[static_cast<std::size_t>(worker)];
          const std::uint64_t before = solver.n_subproblems;
          solver.max_subproblems += before;  // as much for each, in any order
          asked[place] = solver.ask(rows_, round[place], depth, wanted);
          solver.max_subproblems -= before;
          ++n_done;
        }
      } catch (...) {
        has_failed = true;
        throw;
      }
      // The calling thread alone receives interrupts, so it looks for them while others work.
      while (worker == 0 && n_done < n && !has_failed) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (stop_.is_wanted(worker)) throw CalledOff{};
      }
    });
    count();
    if (result_.n_subproblems >= options_.max_subproblems) throw OverBudget{};
    return asked;
  }

  // --- lookahead ---------------------------------------------------------------------------------

  void look_ahead() {
    const bool is_exact = options_.max_depth <= options_.horizon;
    Found found = up_to(std::min(options_.max_depth, options_.horizon));
    if (!is_exact && !is_floor(found.cost))
      found = look_on(rows_, std::move(found), options_.max_depth, options_.horizon);
    if (is_exact || is_floor(found.cost)) result_.bound = std::min(found.cost, result_.cost);
    offer(std::move(found));
    result_.bound = std::min(result_.bound, result_.cost);
  }

  Found look_ahead_from(const RowSet& rows, int depth, int horizon) {
    Found best = solvers_[0].solve(rows, std::min(depth, horizon), infinity);
    if (depth <= horizon || is_floor(best.cost)) return best;
    return look_on(rows, std::move(best), depth, horizon);
  }

  /// The best tree of depth `horizon` gives the root; what is below it looks as far again. Returns
  /// the better of both trees.
  Found look_on(const RowSet& rows, Found best, int depth, int horizon) {
    if (best.depth == 0) return best;
    const Cut cut = best.cut.column == Cut::none ? stump(rows.problem(), rows.ids()).cut : best.cut;
    std::uint32_t column = 0, place = 0;
    while (rows.column(column) != cut.column) ++column;
    while (rows.cut(column, place).code != cut.code) ++place;
    Found found{.cost = problem_.penalty,
                .is_exact = true,
                .depth = depth,
                .cut = cut,
                .left = {},
                .right = {}};
    for (const bool is_left : {true, false}) {
      RowSet part;
      part.assign(rows, column, place, is_left);
      auto side = std::make_unique<Found>(look_ahead_from(part, depth - 1, horizon));
      found.cost += side->cost;
      (is_left ? found.left : found.right) = std::move(side);
    }
    return found.cost < best.cost - tolerance() ? std::move(found) : std::move(best);
  }

  static Found copy_of(const Found& found) {
    Found copy{.cost = found.cost,
               .is_exact = found.is_exact,
               .depth = found.depth,
               .cut = found.cut,
               .left = {},
               .right = {}};
    if (found.left) copy.left = std::make_unique<Found>(copy_of(*found.left));
    if (found.right) copy.right = std::make_unique<Found>(copy_of(*found.right));
    return copy;
  }

  // --- the best tree of each first column --------------------------------------------------------

  void all_roots() {
    result_.root_costs.assign(problem_.columns.size(), infinity);
    const Found whole = up_to(options_.max_depth - 1);
    for (std::uint32_t j = 0; j < rows_.n_columns(); ++j)
      result_.root_costs[rows_.column(j)] = level(options_.max_depth, copy_of(whole), true, j).cost;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  Stop stop_;
  Pool pool_;
  RowSet rows_;
  std::vector<Solver> solvers_;
  SearchResult result_;
  std::size_t n_open_ = 0;
};

}  // namespace

SearchResult search(const Problem& problem, const SearchOptions& options) {
  return RootSearch(problem, options).run();
}

}  // namespace ramify::optimal
