// SPDX-License-Identifier: BSD-3-Clause
// Long work that a user may interrupt.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

namespace ramify {

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

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{50};

  std::function<void()> ask_;
  std::atomic<bool> is_wanted_{false};
  Clock::time_point next_ = Clock::now() + pause;  // of worker 0 alone
};

}  // namespace ramify
