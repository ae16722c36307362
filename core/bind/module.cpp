// SPDX-License-Identifier: BSD-3-Clause
#include "bind/bind.hpp"

void ramify::raise_signals() {
  const nanobind::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

NB_MODULE(_core, m) {
  m.doc() = "The native core of Ramify. Not public: use the names of the package `ramify`.";
  ramify::bind_table(m);
  ramify::bind_criteria(m);
  ramify::bind_plan(m);
  ramify::bind_grow(m);
  ramify::bind_forest(m);
  ramify::bind_blocks(m);
  ramify::bind_grower(m);
  ramify::bind_codes(m);
  ramify::bind_testing(m);
  ramify::bind_model_trees(m);
  ramify::bind_oblique(m);
  ramify::bind_online(m);
  ramify::bind_tree(m);
  ramify::bind_boost(m);
  ramify::bind_boost_blocks(m);
  ramify::bind_explain(m);
  ramify::bind_pack(m);
  ramify::bind_prune(m);
  ramify::bind_survival(m);
  ramify::bind_optimal(m);
}
