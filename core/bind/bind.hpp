// SPDX-License-Identifier: BSD-3-Clause
// The Python bindings, one file per topic. Shapes and types are checked here, meaning in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ramify {

namespace nb = nanobind;
using namespace nb::literals;

class ErrorBound;
struct PackedTree;
struct Plan;
struct Table;
struct Tree;

void bind_blocks(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_boost_blocks(nb::module_& m);
void bind_codes(nb::module_& m);
void bind_criteria(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_grower(nb::module_& m);
void bind_testing(nb::module_& m);
void bind_model_trees(nb::module_& m);
void bind_oblique(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_online(nb::module_& m);
void bind_pack(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_survival(nb::module_& m);
void bind_table(nb::module_& m);
void bind_tree(nb::module_& m);

/// Raises ValueError.
[[noreturn]] inline void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

/// Raises KeyboardInterrupt, or whatever a signal handler of the user raises, if a signal has
/// arrived; call it without the interpreter lock.
void raise_signals();

/// A limit of errors by its name; see bind_prune.cpp.
ErrorBound error_bound(const std::string& bound, double cf);

/// The arrays of a tree, by name.
nb::dict to_python(Tree&& tree);
/// The same packed: values and shapes by name, and whether `value` holds counts.
nb::tuple to_python(PackedTree&& tree);

/// Turns a plan into that of an oblique tree; see bind_oblique.cpp.
void use_oblique(Plan& plan, const std::string& method, const nb::dict& params,
                 const std::optional<std::string>& scale, bool compare_axis,
                 std::uint32_t max_terms, std::vector<std::vector<std::uint32_t>> groups);

}  // namespace ramify
