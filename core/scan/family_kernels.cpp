// SPDX-License-Identifier: BSD-3-Clause
// The criteria of families, for one instruction set. Where weights are whole, what is made of the
// weight of a class or of a side is read from a table, so that one walk serves all of them and each
// costs the compiler little: it is asked once per block of cuts to make scores of the sums.
// Compiled several times; see CMakeLists.txt.
#include <array>

#include "criteria/registry.hpp"
#include "scan/score.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <class C>
concept Tabled = requires(const C c, double weight) {
  { c.of_weight(weight) } -> std::same_as<double>;
  { c.of_total(weight) } -> std::same_as<double>;
};
/// A sum over classes, that is; others read tables in ways of their own.
template <class C>
concept TabledSum = Tabled<C> && requires(const C c, const ClassSums<Pack>& sums) {
  { c.combine(sums) } -> std::same_as<Pack>;
};

/// Is a term multiplied by what is made of the weight of its class in the node?
template <class C>
constexpr bool weighs_classes() {
  if constexpr (requires { C::weighs_classes; }) return C::weighs_classes;
  return false;
}

template <Tabled C, bool of_totals>
void fill_table(const CriterionSettings& settings, int n_classes, int n, double* out) {
  NodeStatistics no_node;
  no_node.n_classes = n_classes;
  no_node.settings = &settings;
  const C criterion = make_criterion<C>(no_node);
  for (int i = 0; i < n; i += pack_width) {
    const double first = i;
    const Pack x{first, first + 1, first + 2, first + 3};
    store(out + i, of_totals ? criterion.of_total(x) : criterion.of_weight(x));
  }
}

template <TabledSum C>
void combine_sums(const SumsBlock& block, double* scores) {
  const C criterion = make_criterion<C>(block.node);
  const bool has_totals = block.at_left;
  // Scores might be written over what is not a number of our own: it would be read again each time.
  const double total = block.node.total, parent = block.parent;
  const double at_total = has_totals ? block.at_total : criterion.of_total(total);
  for (int i = 0; i < block.n_cuts; i += pack_width) {
    const Pack left = load<Pack>(block.total_left + i), right = total - left;
    const ClassSums<Pack> sums{
        total,
        parent,
        left,
        load<Pack>(block.left + i),
        right,
        load<Pack>(block.right + i),
        at_total,
        has_totals ? load<Pack>(block.at_left + i) : criterion.of_total(left),
        has_totals ? load<Pack>(block.at_right + i) : criterion.of_total(right)};
    store(scores + i, criterion.combine(sums));
  }
}

/// Sums of some cuts, with what is made of the weights of their sides read from a table.
void combine_tabled(const NodeStatistics& node, const SetCriterion& criterion, double whole,
                    int n_cuts, const double* total_left, const double* left, const double* right,
                    double* scores) {
  if (criterion.totals_know_classes && node.n_classes != node.table_classes)
    return criterion.combine({node, whole, n_cuts, total_left, left, right, nullptr, nullptr, 0},
                             scores);
  double at_left[CutBlock::stride], at_right[CutBlock::stride];
  for (int i = 0; i < n_cuts; i += pack_width) {
    const Pack total = load<Pack>(total_left + i);
    store(at_left + i, look_up(node.totals, total));
    store(at_right + i, look_up(node.totals, node.total - total));
  }
  criterion.combine({node, whole, n_cuts, total_left, left, right, at_left, at_right,
                     look_up(node.totals, node.total)},
                    scores);
}

/// Stands for all of them in a walk.
template <bool weighs>
struct TabledTerms {
  const double *terms, *totals;

  double term(double weight, double in_parent) const {
    return weighs ? look_up(terms, weight) * look_up(totals, in_parent) : look_up(terms, weight);
  }
  double step(std::uint32_t rows, std::uint32_t more) const
    requires(!weighs)
  {
    return terms[rows + more] - terms[rows];
  }
  double step(std::uint32_t rows, std::uint32_t more, double in_parent) const
    requires weighs
  {
    return (terms[rows + more] - terms[rows]) * look_up(totals, in_parent);
  }
  template <class Item>
  void combine_all(const SumWalkOf<Item>& walk, double whole, int n_cuts, const double* total_left,
                   const double* left, const double* right, double* scores) const {
    NodeStatistics node;
    node.parent = walk.parent;
    node.total = walk.total;
    node.n_classes = walk.n_classes;
    node.settings = &walk.criterion->settings;
    node.terms = terms;
    node.totals = totals;
    node.table_classes = walk.tables.n_classes;
    combine_tabled(node, *walk.criterion, whole, n_cuts, total_left, left, right, scores);
  }
};

template <bool weighs, class Item>
void walk_tabled(SumWalkOf<Item>& walk, CutBlock& block, double* scores) {
  walk_sums_by(TabledTerms<weighs>{walk.tables.terms, walk.tables.totals}, walk, block, scores);
}

/// Adds the terms of a block's cuts, class by class. term(weights, k)
template <class Term>
void add_terms(const ScoreCall& call, Term term, double* total_left, double* left, double* right) {
  for (int i = 0; i < call.n_cuts; i += pack_width) {
    Pack total = spread<Pack>(0), in_left = total, in_right = total;
    for (int k = 0; k < call.n_classes; ++k) {
      const Pack weight = load<Pack>(call.left + k * CutBlock::stride + i);
      total += weight;
      in_left += term(weight, k);
      in_right += term(call.parent[k] - weight, k);
    }
    store(total_left + i, total);
    store(left + i, in_left);
    store(right + i, in_right);
  }
}

/// Scores a block whose weights are whole, of any criterion with tables.
void score_tabled(const ScoreCall& call, bool weighs, double* scores) {
  double total_left[CutBlock::stride], left[CutBlock::stride], right[CutBlock::stride];
  const double *terms = call.tables.terms, *totals = call.tables.totals;
  double whole = 0;
  for (int k = 0; k < call.n_classes; ++k)
    whole += look_up(terms, call.parent[k]) * (weighs ? look_up(totals, call.parent[k]) : 1);
  if (weighs)
    add_terms(
        call, [&](Pack w, int k) { return look_up(terms, w) * look_up(totals, call.parent[k]); },
        total_left, left, right);
  else
    add_terms(call, [&](Pack w, int) { return look_up(terms, w); }, total_left, left, right);
  combine_tabled(call.statistics(), *call.criterion, whole, call.n_cuts, total_left, left, right,
                 scores);
}

template <TabledSum C>
void score_family(const ScoreCall& call, double* scores) {
  constexpr bool weighs = weighs_classes<C>();
  if (call.tables.terms) return score_tabled(call, weighs, scores);
  const C criterion = make_criterion<C>(call.statistics());
  double total_left[CutBlock::stride], left[CutBlock::stride], right[CutBlock::stride];
  const auto factor = [&](int k) { return weighs ? criterion.of_total(call.parent[k]) : 1.0; };
  double whole = 0;
  for (int k = 0; k < call.n_classes; ++k) whole += criterion.of_weight(call.parent[k]) * factor(k);
  add_terms(
      call, [&](Pack w, int k) { return criterion.of_weight(w) * factor(k); }, total_left, left,
      right);
  combine_sums<C>(
      {call.statistics(), whole, call.n_cuts, total_left, left, right, nullptr, nullptr, 0},
      scores);
}

/// Any number of branches.
template <TabledSum C>
double score_family_branches(const BranchCall& call) {
  const C criterion = make_criterion<C>(call.statistics());
  constexpr bool weighs = weighs_classes<C>();
  double *totals = call.work, *sums = totals + call.n_branches, *at = sums + call.n_branches;
  const auto term = [&](double weight, int k) {
    return criterion.of_weight(weight) * (weighs ? criterion.of_total(call.parent[k]) : 1.0);
  };
  double whole = 0;
  for (int k = 0; k < call.n_classes; ++k) whole += term(call.parent[k], k);
  for (int i = 0; i < call.n_branches; ++i) {
    const double* branch = call.sums + std::int64_t{i} * call.stride;
    totals[i] = sums[i] = 0;
    for (int k = 0; k < call.n_classes; ++k) {
      totals[i] += branch[k];
      sums[i] += term(branch[k], k);
    }
    at[i] = criterion.of_total(totals[i]);
  }
  return criterion.combine(BranchSums{call.total, whole, totals, sums, call.n_branches,
                                      criterion.of_total(call.total), at});
}

template <class C>
constexpr CriterionKernel family() {
  CriterionKernel kernel{.info = &C::info};
  if constexpr (Tabled<C>) {
    kernel.fill_terms = fill_table<C, false>;
    kernel.fill_totals = fill_table<C, true>;
  }
  if constexpr (TabledSum<C>) {
    kernel.score = score_family<C>;
    kernel.combine = combine_sums<C>;
    if constexpr (requires { C::totals_know_classes; }) kernel.totals_know_classes = true;
    kernel.walk_sums = walk_tabled<weighs_classes<C>(), std::uint64_t>;
    kernel.walk_key_sums = walk_tabled<weighs_classes<C>(), std::uint32_t>;
    if constexpr (requires { C::is_multiway; }) kernel.score_branches = score_family_branches<C>;
  } else {
    kernel.score = score<C>;
    if constexpr (BranchGain<C>) kernel.score_branches = score_branches<C>;
  }
  if constexpr (requires { typename C::TieBreak; })
    kernel.tie_break = score_ties<typename C::TieBreak>;
  add_statistics<C>(kernel);
  return kernel;
}

template <class... C>
constexpr std::array<CriterionKernel, sizeof...(C)> all_of(List<C...>) {
  return {family<C>()...};
}

constexpr auto all_families = all_of(FamilyCriteria{});

}  // namespace

extern const std::span<const CriterionKernel> families;
constinit const std::span<const CriterionKernel> families(all_families);

}  // namespace ramify::RAMIFY_KERNELS
