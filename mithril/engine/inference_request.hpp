// A request that waits in a queue, shared by its caller and the thread that runs it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "mithril/base/forks.hpp"
#include "mithril/engine/served_model.hpp"
#include "mithril/engine/serving_counters.hpp"

namespace mithril {

// The state that a client keeps between its requests. One request at a time uses it.
struct ModelSession {
  ModelSession(std::string session_id, std::shared_ptr<const ServedModel> served)
      : id(std::move(session_id)), model(std::move(served)), state(model->initial_state()) {}

  const std::string id;
  const std::shared_ptr<const ServedModel> model;  // shared: it may have been replaced since
  std::mutex mutex;                                // guards the members below
  State state;
  bool closed = false;
};

class InferenceRequest {
 public:
  InferenceRequest(std::string name, std::shared_ptr<const ServedModel> served,
                   std::shared_ptr<ServingCounters> counted, ServedInputs checked)
      : name(std::move(name)),
        model(std::move(served)),
        counters(std::move(counted)),
        inputs(std::move(checked)) {}

  const std::string name;
  const std::shared_ptr<const ServedModel> model;  // shared: requests finish on their model
  const std::shared_ptr<ServingCounters> counters;
  const ServedInputs inputs;
  const ServingClock::time_point created = ServingClock::now();
  const std::uint32_t forks = fork_count();  // of the process whose threads answer it
  std::optional<ServingClock::time_point> deadline = {};
  std::shared_ptr<ModelSession> session = {};
  void cancel_on(const std::stop_token& cancellation) {
    if (cancellation.stop_possible()) on_stop_.emplace(cancellation, [this] { cancel(); });
  }

  // The first of these counts; others do nothing. None throws: where memory runs out, that is the
  // error of the request.
  void answer(TensorMap outputs);
  void fail(std::exception_ptr error);  // the evaluation raised it
  void expire();
  void cancel();
  void end_by_unload();
  void end_by_shut_down();

  // Counts it as waiting until it is taken or done. In a forked child the counts begin anew.
  void enter_queue() {
    waits_ = true;
    ++counters->waiting;
    if (is_done()) leave_queue();
  }
  void leave_queue() {
    if (forks == fork_count() && waits_.exchange(false)) --counters->waiting;
  }

  bool is_done() const { return done_.load(std::memory_order_acquire); }
  // Waits until it is done, or until the time; returns whether it is done. Throws Interrupted;
  // E1212 in a forked child, whose parent has the threads that answer it.
  bool wait_until(std::optional<ServingClock::time_point> time);
  // Waits, expires at the deadline, and returns the outputs once. Throws the error.
  TensorMap get();

 private:
  bool finish(TensorMap outputs, std::exception_ptr error, ServingCounters::Count* count);

  std::atomic<bool> done_{false}, waits_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable finished_;
  TensorMap outputs_;
  std::exception_ptr error_;
  // Destroyed first, because it calls this object.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace mithril
