#include "mithril/server/request_threads.hpp"

#include <system_error>
#include <utility>

namespace mithril {

void RequestThreads::join() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void RequestThreads::enqueue(std::function<void()> request) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= idle_ && threads_.size() < most_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system starts no more threads: the request waits for a busy one.
      if (threads_.empty()) throw;
    }
  }
  waiting_.push_back(std::move(request));
  changed_.notify_one();
}

void RequestThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    std::function<void()> request = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    request();
    request = nullptr;  // without the lock
    lock.lock();
  }
}

}  // namespace mithril
