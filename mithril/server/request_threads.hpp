// The threads that answer the requests of a server.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mithril {

// A thread is started when a request finds none idle, up to the limit.
class RequestThreads {
 public:
  explicit RequestThreads(std::size_t most) : most_(most) {}
  ~RequestThreads() { join(); }
  RequestThreads(const RequestThreads&) = delete;
  RequestThreads& operator=(const RequestThreads&) = delete;

  // The request must not throw. std::system_error if no thread can be started at all.
  void enqueue(std::function<void()> request);
  // Waits until all requests have been answered, and ends the threads.
  void join();

 private:
  void work();

  const std::size_t most_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mithril
