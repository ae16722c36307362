// SPDX-License-Identifier: BSD-3-Clause
// Plans whose growth Python can interrupt, and whose progress it sees.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "bind/bind.hpp"
#include "plan/plan.hpp"

namespace ramify {

/// The same plan, which checks for signals now and then.
inline Plan interruptible(Plan plan) {
  plan.should_stop = [](double) {
    raise_signals();
    return false;
  };
  return plan;
}

/// And which reports the progress.
inline Plan interruptible(Plan plan, const std::optional<nanobind::callable>& progress) {
  if (!progress) return interruptible(std::move(plan));
  plan.should_stop = [&progress](double done) {
    raise_signals();
    const nanobind::gil_scoped_acquire acquire;
    (*progress)(done);
    return false;
  };
  return plan;
}

}  // namespace ramify
