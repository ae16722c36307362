// SPDX-License-Identifier: BSD-3-Clause
// OC1 (Murthy, Kasif, Salzberg 1994): one coefficient at a time, random directions at a local
// optimum, and many starts.
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "oblique/climber.hpp"
#include "oblique/methods.hpp"

namespace ramify {
namespace {

/// The climb from one start.
class Oc1Climb {
 public:
  Oc1Climb(const Oc1Rules& rules, Climber& climber, std::size_t n_columns, Rng& rng,
           const std::function<bool()>& must_stop)
      : rules_(rules),
        climber_(climber),
        n_coefficients_(n_columns + 1),
        rng_(rng),
        must_stop_(must_stop) {}

  void run() {
    record_ = climber_.score();
    do climb();
    while (kick());
    climber_.settle();
  }

 private:
  bool is_over() const { return climber_.is_perfect() || must_stop_(); }

  /// Climbs to a local optimum.
  void climb() {
    n_stagnant_ = 0;
    switch (rules_.order) {
      case Oc1Rules::Order::sequential:
        return climb_in_turn();
      case Oc1Rules::Order::best_first:
        return climb_best_first();
      case Oc1Rules::Order::random:
        return climb_at_random();
    }
  }

  void climb_in_turn() {
    std::size_t n_vain = 0;  // steps since the last improvement
    for (std::size_t i = 0; n_vain < n_coefficients_ && !is_over(); i = (i + 1) % n_coefficients_)
      n_vain = step(i) ? 0 : n_vain + 1;
  }

  void climb_at_random() {
    bool helped = true;
    while (helped) {
      helped = false;
      for (int i = 0; i < rules_.n_random_steps && !is_over(); ++i)
        helped = step(rng_.below(static_cast<std::uint32_t>(n_coefficients_))) || helped;
    }
  }

  void climb_best_first() {
    while (!is_over()) {
      std::size_t first = 0;
      Interval best;
      for (std::size_t i = 0; i < n_coefficients_; ++i) {
        const Interval here = climber_.look(line(i));
        if (!here.exists() || (best.exists() && !beats(here.score, best.score))) continue;
        best = here;
        first = i;
      }
      if (!best.exists() || !may_go(best)) return;
      const bool should_help = beats(best.score, climber_.score());
      if (!take(line(first), best) && should_help) return;  // rounding stands in the way
    }
  }

  Line line(std::size_t coefficient) {
    return coefficient + 1 < n_coefficients_ ? climber_.along_column(coefficient)
                                             : climber_.along_bias();
  }

  /// Changes one coefficient. Returns whether that improved the score.
  bool step(std::size_t coefficient) {
    const Line here = line(coefficient);
    const Interval best = climber_.look(here);
    return best.exists() && may_go(best) && take(here, best);
  }

  /// Sideways moves are random, and ever rarer.
  bool may_go(const Interval& to) {
    if (beats(to.score, climber_.score())) return true;
    return rng_.uniform() < std::exp(-n_stagnant_);
  }

  /// Only a new best score counts as an improvement: otherwise rounding could undo a move, and the
  /// search would repeat it for ever.
  bool take(const Line& line, const Interval& to) {
    const bool helped = climber_.go(line, to) && beats(climber_.score(), record_);
    if (helped) record_ = climber_.score();
    n_stagnant_ = helped ? 0 : n_stagnant_ + 1;
    return helped;
  }

  /// Leaves a local optimum in a random direction, if one of a few helps.
  bool kick() {
    for (int i = 0; i < rules_.n_kicks && !is_over(); ++i) {
      const Line any = climber_.along_any(rng_);
      const Interval best = climber_.look(any);
      if (best.exists() && beats(best.score, climber_.score()) && take(any, best)) return true;
    }
    return false;
  }

  const Oc1Rules& rules_;
  Climber& climber_;
  std::size_t n_coefficients_;  // the bias is the last
  Rng& rng_;
  const std::function<bool()>& must_stop_;
  double n_stagnant_ = 0;  // consecutive moves without an improvement
  double record_ = no_score;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const Oc1Rules& rules) {
  const ColumnReader matrix(problem);
  const LogTable logs(problem);
  struct Result {
    double score = no_score;
    Direction at;
  };
  std::vector<Result> results(static_cast<std::size_t>(rules.n_starts));
  std::vector<std::unique_ptr<Climber>> climbers(problem.judges.size());
  std::atomic<bool> is_stopped = false;
  std::atomic<int> first_perfect = rules.n_starts;  // no later start can win

  problem.run(rules.n_starts, [&](int start, int worker) {
    const std::function<bool()> must_stop = [&, start, worker] {
      if (worker == 0 && problem.must_stop && problem.must_stop()) is_stopped = true;
      return is_stopped || first_perfect < start;
    };
    if (must_stop()) return;
    const auto w = static_cast<std::size_t>(worker);
    if (!climbers[w])
      climbers[w] = std::make_unique<Climber>(problem, matrix, logs, *problem.judges[w]);
    Climber& climber = *climbers[w];
    Rng rng(mix(problem.key ^ static_cast<std::uint64_t>(start)));
    if (start == 0 && !rules.random_start && problem.start)
      climber.start_at(*problem.start);
    else
      climber.start_anywhere(rng);
    Oc1Climb(rules, climber, problem.n_columns, rng, must_stop).run();
    if (climber.is_perfect()) {
      int first = first_perfect;
      while (start < first && !first_perfect.compare_exchange_weak(first, start)) {
      }
    }
    results[static_cast<std::size_t>(start)] = {climber.score(), climber.at()};
  });

  if (is_stopped) return {};
  const Result* best = nullptr;
  for (const Result& result : results)
    if (result.score > no_score && (!best || beats(result.score, best->score))) best = &result;
  return best ? Proposal(best->at) : Proposal();
}

}  // namespace ramify
