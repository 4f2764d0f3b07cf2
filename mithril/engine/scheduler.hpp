// Runs requests: at most as many evaluations at a time as the engine has slots.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "mithril/engine/inference_request.hpp"
#include "mithril/engine/request_queue.hpp"

namespace mithril {

// The limits of a caller that waits for a slot, and the counters of its model.
struct SlotRequest {
  const std::string& name;
  ServingCounters& counters;
  const RequestQueue& queue;  // of the model
  std::size_t max_queue;
  std::optional<ServingClock::time_point> deadline;
  std::stop_token cancellation;
};

// Its workers share it, so that it outlives them. Call end() before the last other reference goes.
class Scheduler : public std::enable_shared_from_this<Scheduler> {
 public:
  // The right to run an evaluation.
  class Slot {
   public:
    explicit Slot(Scheduler& scheduler) : scheduler_(&scheduler) {}
    ~Slot() { scheduler_->release(); }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    Scheduler* scheduler_;
  };

  explicit Scheduler(int slots) : slots_(slots), free_(slots) {}

  // Fails the requests that wait, and returns when no worker runs any more, but for the thread that
  // calls: an evaluation may release the last reference to its engine.
  void end();
  // Called in a forked child, where no worker runs. Keeps this object, since destroying what they
  // wait on would take forever.
  void leave_to_parent() { kept_ = shared_from_this(); }

  // Waits for a slot in the calling thread. E1203 if max_queue callers wait, E1205 at the deadline,
  // E1206, E1207, E1208; Interrupted. Counts the refusals, as the functions below do.
  void acquire(const SlotRequest& request);

  // Takes a slot if all are free and no request waits in this queue. E1207, E1208.
  bool try_acquire(const RequestQueue& queue, const std::string& name, ServingCounters& counters);

  struct Arrival {
    std::shared_ptr<RequestQueue> queue;
    std::shared_ptr<InferenceRequest> request;
    std::exception_ptr refusal = {};  // E1203 if the queue is full, E1207 if it is closed, E1208
  };
  // Requests that arrive together can be one batch. Sets the refusals.
  void push(std::span<Arrival> arrivals);
  // Fails the requests that wait, and refuses others.
  void close(RequestQueue& queue);
  // Refuses further requests, and waits until all accepted ones are answered, or until the time.
  // Then the rest fails. Interrupted: the accepted requests are answered all the same.
  void shut_down(std::optional<ServingClock::time_point> until);
  bool is_shut_down() const { return shut_down_; }

 private:
  // A queue whose batch is complete, or else the time at which one may be.
  struct Next {
    std::shared_ptr<RequestQueue> ready;
    std::optional<ServingClock::time_point> time;
  };

  struct WaitLimit {
    std::optional<ServingClock::time_point> deadline;
    std::stop_token cancellation;
  };

  bool try_acquire();
  void release();
  void start_workers();
  void work();
  // Those that follow are called with the mutex held.
  void check_open(const RequestQueue& queue, const std::string& name,
                  ServingCounters& counters) const;
  bool add(const Arrival& arrival);
  void run_batch(RequestQueue& queue, std::unique_lock<std::mutex>& lock);
  template <typename IsOver>
  bool wait_for(std::unique_lock<std::mutex>& lock, const WaitLimit& limit, const IsOver& is_over);
  void wait_for_slot(std::unique_lock<std::mutex>& lock);
  Next find_next(ServingClock::time_point now);
  bool is_idle() const;

  const int slots_;
  std::atomic<int> free_;
  std::atomic<int> sleepers_{0};        // threads that wait for a slot
  std::atomic<bool> shut_down_{false};  // further requests are refused
  std::mutex mutex_;                    // guards the members below
  std::condition_variable_any slot_freed_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<RequestQueue>> active_;  // with waiting requests
  std::vector<std::thread> workers_;
  std::shared_ptr<Scheduler> kept_;
  int callers_ = 0;     // that wait for a slot in their own thread
  bool drops_ = false;  // requests that still wait fail with E1208
  bool ended_ = false;  // workers return
};

}  // namespace mithril
