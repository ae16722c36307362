// SPDX-License-Identifier: BSD-3-Clause
// Oblique trees: their settings, and their components for tests and study.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "data/table.hpp"
#include "linear_algebra/eigen.hpp"
#include "oblique/for_tests.hpp"
#include "splitters/hyperplane.hpp"

namespace ramify {
namespace {

/// The settings of a method, by their Python names.
class Settings {
 public:
  explicit Settings(const nb::dict& given) : given_(given) {}

  template <class T>
  T get(const char* name) const {
    return nb::cast<T>(given_[name]);
  }
  int integer(const char* name) const { return get<int>(name); }
  double number(const char* name) const { return get<double>(name); }
  bool flag(const char* name) const { return get<bool>(name); }
  bool is(const char* name, const char* word) const { return get<std::string>(name) == word; }

 private:
  const nb::dict& given_;
};

SingleRules read_single_rules(const std::string& method, const Settings& s) {
  if (method == "wodt" || method == "wodt_l1") {
    WodtRules rules{s.integer("n_restarts"),
                    s.integer("max_iter"),
                    s.integer("memory"),
                    s.number("tol"),
                    0,
                    true};
    if (method == "wodt_l1") {
      rules.penalty = s.number("penalty");
      rules.debias = s.flag("debias");
    }
    return rules;
  }
  if (method == "oc1" || method == "oc1r") {
    using Order = Oc1Rules::Order;
    const Order order = s.is("order", "best_first") ? Order::best_first
                        : s.is("order", "random")   ? Order::random
                                                    : Order::sequential;
    return Oc1Rules{method == "oc1r", s.integer("n_starts"), s.integer("n_kicks"), order,
                    s.integer("n_random_steps")};
  }
  if (method == "cart_lc" || method == "cart_lcr")
    return CartLcRules{method == "cart_lcr", s.flag("standardize"), s.number("tol"),
                       s.integer("max_cycles"), s.number("backward_deletion")};
  if (method == "co2" || method == "co2r")
    return Co2Rules{method == "co2r",       s.number("nu"),  s.number("eta"),
                    s.integer("max_outer"), s.number("tol"), s.flag("decay")};
  if (method == "dgmml_mdt") {
    using Cut = MdtRules::Cut;
    const Cut cut = s.is("split_point", "median") ? Cut::median
                    : s.is("split_point", "mean") ? Cut::mean
                                                  : Cut::gap;
    return MdtRules{cut, s.integer("n_gap_points"), s.flag("signed")};
  }
  if (method == "fisher") return FisherRules{s.number("ridge"), s.is("superclasses", "ova")};
  if (method == "random_sparse")
    return RandomSparseRules{s.get<std::optional<int>>("n_directions").value_or(0),
                             s.get<std::optional<int>>("n_terms").value_or(0),
                             s.get<std::optional<double>>("density").value_or(0), s.flag("binary")};
  if (method == "ridge") return RidgeRules{s.number("penalty"), s.is("cut", "own")};
  if (method == "logistic") return LogisticRules{s.number("penalty"), s.is("cut", "own")};
  if (method == "svm") return SvmRules{s.number("C"), s.is("cut", "own")};
  if (method == "mpsvm")
    return MpsvmRules{s.is("grouping", "largest"), s.number("delta"), s.is("cut", "own")};
  if (method == "hhcart") return HhcartRules{s.is("variant", "A")};
  if (method == "cca") return CcaRules{s.flag("bootstrap")};
  if (method == "pptree")
    return PptreeRules{s.is("index", "pda") ? s.number("shrinkage") : 0, s.is("cut", "own")};
  if (method == "cart_elc") return CartElcRules{s.integer("n_points"), s.integer("max_planes")};
  refuse("unknown oblique method: " + method);
}

ObliqueRules read_rules(const std::string& method, const Settings& s) {
  if (method == "heterogeneous") {
    HeterogeneousRules rules;
    const auto settings = s.get<nb::dict>("settings");  // of each method
    for (const auto& name : s.get<std::vector<std::string>>("methods")) {
      const auto own = nb::cast<nb::dict>(settings[name.c_str()]);
      rules.methods.push_back(read_single_rules(name, Settings(own)));
    }
    return rules;
  }
  return std::visit([](const auto& rules) -> ObliqueRules { return rules; },
                    read_single_rules(method, s));
}

/// A problem given as arrays, judged by a built-in criterion.
class GivenProblem final : public SideJudge {
 public:
  GivenProblem(Array2<double> X, Array1<std::uint32_t> y, const MaybeWeight& weight,
               const std::string& criterion, bool by_column)
      : kernel_(find_criterion(criterion)) {
    problem.n_rows = X.shape(0);
    problem.n_columns = X.shape(1);
    if (y.shape(0) != problem.n_rows || (weight && weight->shape(0) != problem.n_rows))
      refuse("X, y and weight must have the same number of rows");
    values_.resize(problem.n_rows * problem.n_columns);
    for (std::size_t i = 0; i < problem.n_rows; ++i)
      for (std::size_t j = 0; j < problem.n_columns; ++j)
        values_[by_column ? j * problem.n_rows + i : i * problem.n_columns + j] =
            X.data()[i * problem.n_columns + j];
    problem.values = values_.data();
    problem.by_column = by_column;
    problem.label = {y.data(), problem.n_rows};
    if (weight) {  // integer multiples of a unit, as in a fit: sums are exact then
      weight_.assign(weight->data(), weight->data() + problem.n_rows);
      problem.unit = make_exact(weight_);
      problem.weight = weight_;
    }
    for (std::size_t i = 0; i < problem.n_rows; ++i) {
      if (problem.label[i] >= total_.size()) total_.resize(problem.label[i] + 1);
      total_[problem.label[i]] += problem.weight_of(i);
    }
    for (const double each : total_) {
      if (each <= 0) refuse("y must hold all of 0, 1, ... n_classes - 1");
      all_ += each;
    }
    problem.class_weight = total_;
    problem.judges = {&self_, 1};
    problem.run = [](int n, const std::function<void(int, int)>& task) {
      for (int i = 0; i < n; ++i) task(i, 0);
    };
    problem.must_stop = [] { return PyErr_CheckSignals() != 0; };
  }
  GivenProblem(const GivenProblem&) = delete;

  Form form() const override { return form_of(*kernel_); }
  void score(double* left, int n_cuts, double* scores) override {
    for (std::size_t k = 0; k < total_.size(); ++k)
      std::fill_n(left + k * stride + n_cuts, stride - n_cuts, left[k * stride + n_cuts - 1]);
    kernel_->score({total_.data(), all_, static_cast<int>(total_.size()), left, n_cuts, nullptr,
                    problem.unit, kernel_.get()},
                   scores);
  }

  ObliqueProblem problem;

 private:
  std::shared_ptr<const SetCriterion> kernel_;
  std::vector<double> values_, weight_, total_;
  double all_ = 0;
  SideJudge* const self_ = this;
};

void check_column(int column, std::size_t max) {
  if (column < 0 || static_cast<std::size_t>(column) > max)
    refuse("there is no column " + std::to_string(column));
}

Direction direction_of(Array1<double> numbers, std::size_t n_columns) {
  if (numbers.shape(0) != n_columns + 1)
    refuse("a direction must have one weight per column, then the bias");
  return {{numbers.data(), numbers.data() + n_columns}, numbers.data()[n_columns]};
}

}  // namespace

void use_oblique(Plan& plan, const std::string& method, const nb::dict& params,
                 const std::optional<std::string>& scale, bool compare_axis,
                 std::uint32_t max_terms, std::vector<std::vector<std::uint32_t>> groups) {
  const Settings settings(params);
  Oblique oblique;
  oblique.method = read_rules(method, settings);
  oblique.scale = !scale             ? Oblique::Scale::none
                  : *scale == "node" ? Oblique::Scale::node
                                     : Oblique::Scale::global;
  oblique.compare_axis = compare_axis;
  oblique.max_terms = max_terms;
  oblique.groups = std::move(groups);
  if (params.contains("cut")) oblique.scans = settings.is("cut", "scan");
  if (params.contains("min_samples_oblique"))
    oblique.min_rows =
        settings.get<std::optional<std::int64_t>>("min_samples_oblique").value_or(-1);
  plan.oblique = std::move(oblique);
}

namespace {

/// What methods propose for a problem given as arrays, and what they minimise.
void bind_proposals(nb::module_& m) {
  m.def(
      "propose",
      [](const std::string& method, Array2<double> X, Array1<std::uint32_t> y,
         const MaybeWeight& weight, const std::string& criterion, const nb::dict& params,
         std::uint64_t seed,
         const MaybeWeight& start) -> std::optional<std::tuple<std::vector<double>, double, bool>> {
        const ObliqueRules rules = read_rules(method, Settings(params));
        GivenProblem given(X, y, weight, criterion, reads_columns(rules));
        given.problem.key = seed;
        if (start) given.problem.start = direction_of(*start, given.problem.n_columns);
        const Proposal found =
            std::visit([&](const auto& each) { return propose(given.problem, each); }, rules);
        if (PyErr_Occurred()) throw nb::python_error();
        if (!found) return {};
        return std::tuple{found->weight, found->bias, found->has_cut};
      },
      "method"_a, "X"_a, "y"_a, "weight"_a, "criterion"_a, "params"_a, "seed"_a, "start"_a,
      "The direction that a method proposes: weights, bias, and whether the cut is its own.");
  m.def(
      "weighted_entropy",
      [](Array2<double> X, Array1<std::uint32_t> y, const MaybeWeight& weight,
         Array1<double> theta) {
        GivenProblem given(X, y, weight, "entropy", false);
        direction_of(theta, given.problem.n_columns);
        std::vector<double> gradient(theta.shape(0));
        const double entropy = weighted_entropy(given.problem, view(theta), gradient.data());
        return std::tuple{entropy, to_numpy(std::move(gradient))};
      },
      "X"_a, "y"_a, "weight"_a, "theta"_a,
      "The entropy that WODT minimises, and its gradient; the bias comes last.");
  const auto bind_bound = [&](const char* name, double Co2Objective::* part, const char* text) {
    m.def(
        name,
        [part](Array2<double> X, Array1<std::uint32_t> y, Array1<double> w, Array1<double> theta_0,
               Array1<double> theta_1) {
          GivenProblem given(X, y, std::nullopt, "entropy", false);
          direction_of(w, given.problem.n_columns);
          for (const auto& theta : {theta_0, theta_1})
            if (static_cast<int>(theta.shape(0)) != given.problem.n_classes())
              refuse("theta_0 and theta_1 must have one value per class");
          return co2_objective(given.problem, view(w), view(theta_0), view(theta_1)).*part;
        },
        "X"_a, "y"_a, "w"_a, "theta_0"_a, "theta_1"_a, text);
  };
  bind_bound("co2_bound", &Co2Objective::bound, "The bound that CO2 minimises.");
  bind_bound("co2_loss", &Co2Objective::loss, "The loss that it bounds.");
}

/// Single steps of methods that improve one coefficient after the other.
void bind_steps(nb::module_& m) {
  m.def(
      "coefficient_step",
      [](Array2<double> X, Array1<std::uint32_t> y, const MaybeWeight& weight,
         const std::string& criterion, Array1<double> direction, int column) {
        GivenProblem given(X, y, weight, criterion, true);
        check_column(column, given.problem.n_columns);
        const Step step = coefficient_step(
            given.problem, direction_of(direction, given.problem.n_columns), column);
        return std::tuple{step.score, step.value};
      },
      "X"_a, "y"_a, "weight"_a, "criterion"_a, "direction"_a, "column"_a,
      "OC1's step: the best score over all values of one coefficient, and the first best value.");
  m.def(
      "combination_step",
      [](Array2<double> X, Array1<std::uint32_t> y, const MaybeWeight& weight,
         const std::string& criterion, Array1<double> direction, int column, double gamma) {
        GivenProblem given(X, y, weight, criterion, true);
        check_column(column, given.problem.n_columns - 1);
        const Step step = combination_step(
            given.problem, direction_of(direction, given.problem.n_columns), column, gamma);
        return std::tuple{step.score, step.value};
      },
      "X"_a, "y"_a, "weight"_a, "criterion"_a, "direction"_a, "column"_a, "gamma"_a,
      "CART-LC's step: the best score over all delta, and the first best delta.");
}

}  // namespace

void bind_oblique(nb::module_& m) {
  bind_proposals(m);
  bind_steps(m);
  m.def(
      "symmetric_eigen",
      [](Array2<double> matrix) {
        const std::size_t n = matrix.shape(0);
        if (matrix.shape(1) != n) refuse("the matrix must be square");
        SymmetricEigen found = symmetric_eigen(matrix.data(), n, n);
        const auto size = static_cast<std::int64_t>(n);
        return std::tuple{to_numpy(std::move(found.value)),
                          to_numpy(std::move(found.vector), {n, n}, {size, 1})};
      },
      "matrix"_a, "Eigenvalues of a symmetric matrix, descending, and eigenvectors by row.");
}

}  // namespace ramify
