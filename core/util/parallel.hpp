// SPDX-License-Identifier: BSD-3-Clause
// A thread pool that lives as long as one fit, so that no fork and no interpreter shutdown ever
// finds it running.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ramify {

class Pool {
 public:
  explicit Pool(int n_threads) {
    try {
      for (int worker = 1; worker < n_threads; ++worker)
        threads_.emplace_back([this, worker] { serve(worker); });
    } catch (...) {  // the system has no more threads: stop those already started
      close();
      throw;
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { close(); }

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls task(i, worker) for i = 0 .. n - 1, each once, on any thread; worker 0 is the caller.
  /// Does not wait for threads that woke too late to join, as they do on a busy machine. Rethrows
  /// the first exception once all threads that joined have finished.
  void run(int n, const std::function<void(int, int)>& task) {
    if (threads_.empty() || n <= 1) {
      for (int i = 0; i < n; ++i) task(i, 0);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      n_tasks_ = n;
      next_ = 0;
      is_open_ = true;
      ++round_;
    }
    wake_.notify_all();
    work(0);
    {
      const std::lock_guard lock(mutex_);
      is_open_ = false;
    }
    while (busy_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      ++round_;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void serve(int worker) {
    int seen = 0;
    while (true) {
      // Nodes follow each other within microseconds: spin for a moment before sleeping.
      for (int spin = 0; spin < 2000 && round_.load(std::memory_order_acquire) == seen; ++spin)
        std::this_thread::yield();
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
        if (closing_) return;
        if (!is_open_) continue;
        ++busy_;
      }
      work(worker);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  void work(int worker) {
    try {
      for (int i = next_++; i < n_tasks_; i = next_++) (*task_)(i, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = n_tasks_;
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  const std::function<void(int, int)>* task_ = nullptr;
  int n_tasks_ = 0;
  std::atomic<int> next_{0}, busy_{0}, round_{0};
  bool is_open_ = false, closing_ = false;
  std::exception_ptr failure_;
};

}  // namespace ramify
