// SPDX-License-Identifier: BSD-3-Clause
// Trees and forests that learn row by row.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "online/model.hpp"

namespace ramify {
namespace {

using online::Model;
using Matrix = Array2<double>;
using Codes = Array1<std::uint32_t>;

template <class T>
T option(const nb::dict& options, const char* name) {
  return nb::cast<T>(options[name]);
}

template <class T, std::size_t n>
T word(const nb::dict& options, const char* name, const std::pair<const char*, T> (&words)[n]) {
  const auto given = option<std::string>(options, name);
  for (const auto& [known, value] : words)
    if (given == known) return value;
  refuse(std::string(name) + "='" + given + "' is unknown");
}

online::Contest contest_of(const Plan& plan, const nb::dict& facts) {
  online::Contest contest;
  contest.plan = plan;
  contest.bound = option<bool>(facts, "normal") ? online::Bound::normal : online::Bound::mcdiarmid;
  contest.type =
      option<int>(facts, "type") == 2 ? online::GainType::of_all_rows : online::GainType::of_n_rows;
  contest.impurity = word<online::BoundedImpurity>(
      facts, "impurity",
      {{"gini", online::BoundedImpurity::gini},
       {"entropy", online::BoundedImpurity::entropy},
       {"misclassification", online::BoundedImpurity::misclassification}});
  contest.range = option<double>(facts, "range");
  contest.is_in_bits = option<bool>(facts, "is_in_bits");
  return contest;
}

online::ModelRules rules_of(const nb::list& contests, const nb::dict& options) {
  online::ModelRules rules;
  online::Rules& tree = rules.tree;
  for (const nb::handle each : contests) {
    const auto pair = nb::cast<nb::tuple>(each);
    tree.contests.push_back(
        contest_of(nb::cast<const Plan&>(pair[0]), nb::cast<nb::dict>(pair[1])));
  }
  if (tree.contests.empty()) refuse("an online tree needs a criterion");
  tree.certain = word<online::Certain>(options, "certain",
                                       {{"split", online::Certain::split},
                                        {"column", online::Certain::column},
                                        {"hoeffding", online::Certain::hoeffding}});
  tree.predictor = word<online::Predictor>(options, "leaf",
                                           {{"majority", online::Predictor::majority},
                                            {"naive_bayes", online::Predictor::naive_bayes},
                                            {"adaptive", online::Predictor::adaptive}});
  tree.drift = word<online::Drift>(options, "drift",
                                   {{"none", online::Drift::none},
                                    {"replace", online::Drift::replace},
                                    {"reevaluate", online::Drift::reevaluate}});
  tree.delta = option<double>(options, "delta");
  tree.tie_threshold = option<double>(options, "tie_threshold");
  tree.grace_period = option<std::uint32_t>(options, "grace_period");
  tree.min_branch_share = option<double>(options, "min_branch_share");
  tree.min_leaf_rows = option<std::uint64_t>(options, "min_leaf_rows");
  tree.max_depth = option<int>(options, "max_depth");
  tree.max_leaves = option<std::uint64_t>(options, "max_leaves");
  tree.max_bytes = option<std::uint64_t>(options, "max_bytes");
  tree.max_columns = option<std::uint32_t>(options, "max_columns");
  rules.forest = {option<int>(options, "n_trees"), option<double>(options, "poisson"),
                  option<double>(options, "warning"), option<double>(options, "swap")};
  rules.max_bins = option<std::uint32_t>(options, "max_bins");
  rules.warm_up = option<std::uint32_t>(options, "warm_up");
  rules.seed = option<std::uint64_t>(options, "seed");
  return rules;
}

void make_model(Model* self, const nb::list& contests, const nb::dict& options,
                const std::vector<bool>& is_categorical, std::uint32_t max_categories,
                std::size_t n_classes) {
  if (is_categorical.empty() || n_classes == 0) refuse("a model needs a column and a class");
  if (max_categories > 253) refuse("max_categories must be at most 253");
  std::vector<online::Column> columns;
  for (const bool is_category : is_categorical) {
    online::Column column;
    column.is_categorical = is_category;
    column.max_categories = is_category ? max_categories : 0;
    columns.push_back(std::move(column));
  }
  new (self) Model(rules_of(contests, options), std::move(columns), n_classes);
}

/// Checks what would lead outside of arrays.
void check_cells(const Model& model, const Matrix& X) {
  const std::size_t d = model.columns().size();
  if (X.shape(1) != d) refuse("the rows must have " + std::to_string(d) + " columns");
  for (std::size_t i = 0; i < X.shape(0); ++i)
    for (const std::uint32_t j : model.columns().categorical) {
      const double code = X.data()[i * d + j];
      if (!std::isnan(code) && !(code >= 0 && code < 0x1p31 && code == std::floor(code)))
        refuse("categories must be numbered");
    }
}

online::Batch batch_of(const Matrix& X, const Codes* labels, const MaybeWeight& weights) {
  online::Batch batch;
  batch.n_rows = X.shape(0);
  batch.cells = {X.data(), X.shape(0) * X.shape(1)};
  if (labels) batch.labels = view(*labels);
  batch.weights = view(weights);
  return batch;
}

nb::ndarray<nb::numpy, std::uint32_t> learn(Model& model, const Matrix& X, const Codes& labels,
                                            const MaybeWeight& weights, bool answers,
                                            int n_threads) {
  check_cells(model, X);
  if (labels.shape(0) != X.shape(0) || (weights && weights->shape(0) != X.shape(0)))
    refuse("rows, labels and weights must be equally many");
  constexpr std::size_t most_classes = 65'535;
  std::size_t n_classes = model.n_classes();
  for (const std::uint32_t label : view(labels)) {
    if (label > n_classes || label >= most_classes) refuse("new classes must come in order");
    n_classes = std::max<std::size_t>(n_classes, label + std::size_t{1});
  }
  for (const double weight : view(weights))
    if (!(weight >= 0 && weight < std::numeric_limits<double>::infinity()))
      refuse("weights must be finite and not negative");
  std::vector<std::uint32_t> found(answers ? X.shape(0) : 0);
  {
    const nb::gil_scoped_release release;
    Stop stop(raise_signals);
    model.learn(batch_of(X, &labels, weights), found, n_threads, stop);
  }
  return to_numpy(std::move(found));
}

nb::ndarray<nb::numpy, std::uint32_t> predict(Model& model, const Matrix& X) {
  check_cells(model, X);
  std::vector<std::uint32_t> found(X.shape(0));
  without_gil([&] {
    Stop stop(raise_signals);
    model.predict(batch_of(X, nullptr, {}), found, stop);
  });
  return to_numpy(std::move(found));
}

nb::ndarray<nb::numpy, double> predict_proba(Model& model, const Matrix& X) {
  check_cells(model, X);
  std::vector<double> found(X.shape(0) * model.n_classes());
  without_gil([&] {
    Stop stop(raise_signals);
    model.predict_proba(batch_of(X, nullptr, {}), found, stop);
  });
  return to_numpy(std::move(found), {X.shape(0), model.n_classes()});
}

nb::list history_of(const Model& model, std::size_t i) {
  static constexpr const char* kinds[] = {"split", "alternate", "replaced", "dropped",
                                          "reevaluated"};
  nb::list all;
  for (const online::Event& event : model.tree(i).history()) {
    nb::dict fact;
    fact["row"] = event.row;
    fact["event"] = kinds[static_cast<std::size_t>(event.kind)];
    fact["column"] = event.column;
    fact["threshold"] = event.threshold;
    fact["depth"] = event.depth;
    fact["attempt"] = event.attempt;
    fact["information"] = event.information;
    fact["needed"] = event.needed;
    fact["table"] = nb::cast(event.table);
    all.append(fact);
  }
  return all;
}

/// Learns rows one by one, as dicts or in the order of the columns, with as little as possible
/// between Python and the tree. What is unusual (a new category or class, a value that is no
/// number) is left to Python: None is returned, and nothing is learnt.
class RowReader {
 public:
  RowReader(Model& model, nb::list names, nb::list categories, nb::dict classes, nb::list labels)
      : model_(model),
        names_(std::move(names)),
        categories_(std::move(categories)),
        classes_(std::move(classes)),
        labels_(std::move(labels)),
        cells_(model.columns().size()) {}

  nb::object learn(const nb::handle& row, const nb::handle& label, double weight) {
    PyObject* code = PyDict_GetItem(classes_.ptr(), label.ptr());
    if (!code || !read(row)) return nb::none();
    const auto own = static_cast<std::uint32_t>(PyLong_AsLong(code));
    online::Batch batch;
    batch.n_rows = 1;
    batch.cells = cells_;
    batch.labels = {&own, 1};
    if (weight != 1) batch.weights = {&weight, 1};
    std::uint32_t answer = 0;
    Stop never;
    model_.learn(batch, {&answer, 1}, 1, never);
    return nb::borrow(PyList_GET_ITEM(labels_.ptr(), static_cast<Py_ssize_t>(answer)));
  }

 private:
  bool read(const nb::handle& row) {
    const std::size_t d = cells_.size();
    if (PyDict_Check(row.ptr())) {
      if (static_cast<std::size_t>(PyDict_GET_SIZE(row.ptr())) != d) return false;
      for (std::size_t j = 0; j < d; ++j) {
        PyObject* name = PyList_GET_ITEM(names_.ptr(), static_cast<Py_ssize_t>(j));
        if (!read_cell(j, PyDict_GetItem(row.ptr(), name))) return false;
      }
      return true;
    }
    const bool is_list = PyList_Check(row.ptr());
    if (!is_list && !PyTuple_Check(row.ptr())) return false;
    if (static_cast<std::size_t>(Py_SIZE(row.ptr())) != d) return false;
    for (std::size_t j = 0; j < d; ++j) {
      const auto at = static_cast<Py_ssize_t>(j);
      if (!read_cell(j, is_list ? PyList_GET_ITEM(row.ptr(), at) : PyTuple_GET_ITEM(row.ptr(), at)))
        return false;
    }
    return true;
  }

  bool read_cell(std::size_t j, PyObject* cell) {
    if (!cell) return false;
    double& to = cells_[j];
    if (cell == Py_None) {
      to = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    PyObject* known = PyList_GET_ITEM(categories_.ptr(), static_cast<Py_ssize_t>(j));
    if (known != Py_None) {
      if (PyFloat_CheckExact(cell) && std::isnan(PyFloat_AS_DOUBLE(cell))) {
        to = std::numeric_limits<double>::quiet_NaN();
        return true;
      }
      if (!PyUnicode_CheckExact(cell) && !PyLong_CheckExact(cell)) return false;
      PyObject* code = PyDict_GetItem(known, cell);
      if (!code) return false;
      to = PyLong_AsDouble(code);
      return true;
    }
    if (PyFloat_CheckExact(cell))
      to = PyFloat_AS_DOUBLE(cell);
    else if (PyLong_CheckExact(cell))
      to = PyLong_AsDouble(cell);
    else
      return false;
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    return !std::isinf(to);
  }

  Model& model_;
  nb::list names_, categories_;
  nb::dict classes_;
  nb::list labels_;
  std::vector<double> cells_;
};

void bind_bounds(nb::module_& m) {
  const auto table = [](const Array1<double>& left, const Array1<double>& right) {
    if (left.shape(0) != right.shape(0)) refuse("both sides must have all classes");
    return online::SideTable{view(left), view(right)};
  };
  m.def(
      "online_information",
      [table](const Array1<double>& left, const Array1<double>& right) {
        return online::information(table(left, right));
      },
      "left"_a, "right"_a, "n times the information of side and class, in nats.");
  m.def(
      "online_tail", [](double p, double m) { return online::tail(std::log(p), m); }, "p"_a, "m"_a);
  m.def(
      "online_needed",
      [](double delta, double attempt, double n_columns, double n_classes, double n,
         bool is_categorical, bool has_missing) {
        const double log_p = online::log_share(delta, attempt, n_columns);
        return is_categorical ? online::needed_for_subset(log_p, n_classes, n)
                              : online::needed_for_cut(log_p, n_classes, n, has_missing);
      },
      "delta"_a, "attempt"_a, "n_columns"_a, "n_classes"_a, "n"_a, "is_categorical"_a,
      "has_missing"_a, "What the information of a split must exceed: n cuts, or n categories.");
  m.def(
      "online_epsilon",
      [](const std::string& kind, int type, double p, double n, double n_classes, double range) {
        if (kind == "hoeffding") return online::hoeffding(range, std::log(p), n);
        const auto impurity = kind == "gini"      ? online::BoundedImpurity::gini
                              : kind == "entropy" ? online::BoundedImpurity::entropy
                                                  : online::BoundedImpurity::misclassification;
        return online::mcdiarmid(
            impurity, type == 2 ? online::GainType::of_all_rows : online::GainType::of_n_rows,
            std::log(p), n, n_classes);
      },
      "kind"_a, "type"_a, "p"_a, "n"_a, "n_classes"_a, "range"_a,
      "By how much a gain must beat another.");
  m.def(
      "online_largest_change",
      [](const std::string& kind, double n) {
        return online::largest_change(kind == "gini" ? online::BoundedImpurity::gini
                                      : kind == "entropy"
                                          ? online::BoundedImpurity::entropy
                                          : online::BoundedImpurity::misclassification,
                                      n);
      },
      "kind"_a, "n"_a);
  m.def(
      "online_normal_quantile", [](double p) { return online::normal_quantile(std::log(p)); },
      "p"_a);
  m.def(
      "online_influences",
      [](const Plan& plan, const Array1<double>& left, const Array1<double>& right) {
        const auto [of_left, of_right] = online::SideTable{view(left), view(right)};
        if (of_left.size() != of_right.size()) refuse("both sides must have all classes");
        online::Columns columns;
        columns.all.resize(1);
        columns.arrange();
        online::Rules rules;
        rules.contests.resize(1);
        rules.contests[0].plan = plan;
        online::SplitJudge judge(rules, columns, of_left.size());
        return to_numpy(judge.influences(copy(left), copy(right)));
      },
      "plan"_a, "left"_a, "right"_a,
      "n times what one more row adds to the score, by class on the left, then on the right.");
  m.def(
      "online_log_chance",
      [](const std::array<double, 3>& left, const std::array<double, 3>& right, double range) {
        return online::log_chance({left[0], left[1], left[2]}, {right[0], right[1], right[2]},
                                  range);
      },
      "left"_a, "right"_a, "range"_a);
  nb::class_<online::Adwin>(m, "Adwin", "The mean of the values since the last change.")
      .def(nb::init<double>(), "delta"_a)
      .def("add", &online::Adwin::add, "value"_a)
      .def_prop_ro("width", &online::Adwin::width)
      .def_prop_ro("mean", &online::Adwin::mean);
}

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<Model>(m, "OnlineModel", "A tree or a forest that learns row by row.")
      .def("__init__", &make_model, "contests"_a, "options"_a, "is_categorical"_a,
           "max_categories"_a, "n_classes"_a)
      .def("learn", &learn, "X"_a, "labels"_a, "weights"_a, "answers"_a, "n_threads"_a)
      .def("predict", &predict, "X"_a)
      .def("predict_proba", &predict_proba, "X"_a)
      .def(
          "set_cuts",
          [](Model& model, std::vector<std::vector<double>> cuts) {
            if (cuts.size() != model.columns().size() || model.n_rows() > 0)
              refuse("cuts are given by column, before the first row");
            model.set_cuts(std::move(cuts));
          },
          "cuts"_a)
      .def(
          "tree", [](const Model& model, std::size_t i) { return to_python(model.tree(i).tree()); },
          "i"_a)
      .def("history", &history_of, "i"_a)
      .def_prop_ro("swaps",
                   [](const Model& model) {
                     nb::list all;
                     for (const auto& [row, tree, had_background] : model.swaps())
                       all.append(nb::make_tuple(row, tree, had_background != 0));
                     return all;
                   })
      .def_prop_ro("cuts",
                   [](const Model& model) {
                     std::vector<std::vector<double>> cuts;
                     for (const online::Column& column : model.columns().all)
                       cuts.push_back(column.cuts);
                     return cuts;
                   })
      .def_prop_ro("has_cuts", &Model::has_cuts)
      .def_prop_ro("n_rows", &Model::n_rows)
      .def_prop_ro("n_trees", &Model::n_trees)
      .def_prop_ro("n_bytes", &Model::n_bytes)
      .def(
          "n_leaves", [](const Model& model, std::size_t i) { return model.tree(i).n_leaves(); },
          "i"_a)
      .def("state", [](Model& model) { return bytes_of(model.state()); })
      .def(
          "restore", [](Model& model, const nb::bytes& state) { model.restore(view(state)); },
          "state"_a);
  nb::class_<RowReader>(m, "OnlineRowReader", "Learns rows one by one.")
      .def(nb::init<Model&, nb::list, nb::list, nb::dict, nb::list>(), "model"_a, "names"_a,
           "categories"_a, "classes"_a, "labels"_a, nb::keep_alive<1, 2>())
      .def("learn", &RowReader::learn, "row"_a, "label"_a, "weight"_a = 1.0,
           nb::sig("def learn(self, row: object, label: object, weight: float = 1.0) -> object"));
  bind_bounds(m);
}

}  // namespace ramify
