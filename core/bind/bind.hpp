// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace ramify {

void bind_criteria(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_table(nanobind::module_& m);
void bind_tree(nanobind::module_& m);

}  // namespace ramify
