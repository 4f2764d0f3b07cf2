// The trace of the process, which the runs of all its threads add to.
#pragma once

#include <memory>
#include <optional>

#include "mithril/base/trace.hpp"

namespace mithril {

// Sets the trace of threads that have none. Returns false if there is one.
bool begin_process_trace(std::shared_ptr<StepTrace> trace);
// Ends this one, if it is that of the process. Runs that began before may still add their steps.
void end_process_trace(const StepTrace& trace);

// During its lifetime current_trace() is the trace of the process if the thread has none.
class TracedRun {
 public:
  TracedRun() {
    if (traces_set.load(std::memory_order_relaxed) != 0) begin();
  }
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;
  StepTrace* trace() const { return trace_; }  // null: none

 private:
  void begin();

  StepTrace* trace_ = nullptr;
  std::shared_ptr<StepTrace> held_;  // shared: the trace may end before the run; null: not its own
  std::optional<TraceScope> scope_;
};

// A call of the user, which a trace shows around the steps in it. `name` is a literal.
class TracedCall {
 public:
  explicit TracedCall(const char* name)
      : name_(name), run_(), start_(run_.trace() ? trace_ticks() : TraceTicks{}) {}
  ~TracedCall() {
    if (run_.trace()) run_.trace()->add_call(name_, start_, trace_ticks());
  }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;

 private:
  const char* const name_;
  const TracedRun run_;
  const TraceTicks start_;
};

}  // namespace mithril
