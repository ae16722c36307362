// SPDX-License-Identifier: BSD-3-Clause
// Long work that a user may interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace ramify {

/// Thrown by workers that are told to stop.
struct CalledOff {};

/// Asks now and then whether to go on. Only the thread that called may ask, since only that one
/// hears of interrupts; the others see what it has heard.
class Stop {
 public:
  /// `ask` throws if the work is to end; it is called a few times per second.
  explicit Stop(std::function<void()> ask = {}) : ask_(std::move(ask)) {}

  /// To be called every few milliseconds: is the work to end? On worker 0, the thread that called,
  /// it throws what `ask` threw; other workers leave quietly.
  bool is_wanted(int worker) {
    if (is_wanted_.load(std::memory_order_relaxed)) return true;
    if (worker != 0 || !ask_ || Clock::now() < next_) return false;
    try {
      ask_();
    } catch (...) {
      is_wanted_ = true;
      throw;
    }
    next_ = Clock::now() + pause;
    return false;
  }

  /// The same as a function that throws, for work of many parts: `CalledOff` on other workers.
  std::function<void()> pause_of(int worker) {
    return [this, worker] {
      if (is_wanted(worker)) throw CalledOff{};
    };
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{50};

  std::function<void()> ask_;
  std::atomic<bool> is_wanted_{false};
  Clock::time_point next_ = Clock::now() + pause;  // of worker 0 alone
};

/// Calls part(begin, end) for parts of 0 .. n - 1, and `pause` before each: every millisecond or
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
