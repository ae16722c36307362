// SPDX-License-Identifier: BSD-3-Clause
// Long computations that a user may interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace ramify {

/// Thrown by workers that must stop.
struct CalledOff {};

/// Checks now and then whether to go on. Only the calling thread may check, since only that thread
/// receives interrupts; the others see its result.
class Stop {
 public:
  /// `check` throws if the work is to end; it is called a few times per second.
  explicit Stop(std::function<void()> check = {}) : check_(std::move(check)) {}

  /// Returns whether the work is to end; call it every few milliseconds. On worker 0, the calling
  /// thread, it throws what `check` threw; other workers return quietly.
  bool is_wanted(int worker) {
    if (is_wanted_.load(std::memory_order_relaxed)) return true;
    if (worker != 0 || !check_ || Clock::now() < next_) return false;
    try {
      check_();
    } catch (...) {
      is_wanted_ = true;
      throw;
    }
    next_ = Clock::now() + pause;
    return false;
  }

  /// The same as a function that throws, for work in many chunks: `CalledOff` on other workers.
  std::function<void()> pause_of(int worker) {
    return [this, worker] {
      if (is_wanted(worker)) throw CalledOff{};
    };
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{50};

  std::function<void()> check_;
  std::atomic<bool> is_wanted_{false};
  Clock::time_point next_ = Clock::now() + pause;  // of worker 0 alone
};

/// Calls part(begin, end) for chunks of 0 .. n - 1, and `pause` before each: every millisecond or
/// so.
template <class Part>
void in_parts(std::size_t n, const std::function<void()>& pause, Part part) {
  constexpr std::size_t max = 65'536;
  for (std::size_t begin = 0; begin < n; begin += max) {
    if (pause) pause();
    part(begin, std::min(n, begin + max));
  }
}

}  // namespace ramify
