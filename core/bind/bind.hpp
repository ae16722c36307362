// SPDX-License-Identifier: BSD-3-Clause
// The Python bindings, one file per topic. Shapes and types are checked here, meaning in Python,
// and nothing is computed.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ramify {

struct PackedTree;
struct Plan;
struct Tree;

void bind_blocks(nanobind::module_& m);
void bind_boost(nanobind::module_& m);
void bind_boost_blocks(nanobind::module_& m);
void bind_codes(nanobind::module_& m);
void bind_criteria(nanobind::module_& m);
void bind_explain(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_grower(nanobind::module_& m);
void bind_margins(nanobind::module_& m);
void bind_oblique(nanobind::module_& m);
void bind_pack(nanobind::module_& m);
void bind_parts(nanobind::module_& m);
void bind_plan(nanobind::module_& m);
void bind_prune(nanobind::module_& m);
void bind_requests(nanobind::module_& m);
void bind_table(nanobind::module_& m);
void bind_tree(nanobind::module_& m);

/// Raises KeyboardInterrupt, or whatever a signal handler of the user raises, if a signal has
/// arrived; call it without the interpreter lock.
void raise_signals();

/// The arrays of a tree, by name.
nanobind::dict to_python(Tree&& tree);
/// The same packed: values and shapes by name, and whether `value` holds counts.
nanobind::tuple to_python(PackedTree&& tree);

/// Turns a plan into that of an oblique tree; see bind_oblique.cpp.
void use_oblique(Plan& plan, const std::string& method, const nanobind::dict& params,
                 const std::optional<std::string>& scale, bool compare_axis,
                 std::uint32_t max_terms, std::vector<std::vector<std::uint32_t>> groups);

}  // namespace ramify
