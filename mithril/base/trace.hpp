// Traces: what threads did when, in the format of Chrome's trace viewer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mithril/base/trace_clock.hpp"
#include "mithril/base/trace_event.hpp"

namespace mithril {

// Thread-safe.
class StepTrace {
 public:
  StepTrace();
  void add(TraceEvent event);
  // The first steps of a plan have run one after the other. `ticks`: the start of the first, then
  // the end of each.
  void add_steps(std::shared_ptr<const TracedSteps> steps, std::vector<TraceTicks> ticks);
  // Calls and work are left out if there is no memory for them: what they measured has succeeded.
  void add_call(const char* name, TraceTicks start, TraceTicks end) noexcept;
  // The calling thread has worked for a step of the thread `caller`.
  void add_work(std::thread::id caller, TraceTicks start, TraceTicks end) noexcept;
  // The events in the order of their ends.
  std::vector<TraceEvent> events() const;
  // JSON that chrome://tracing and ui.perfetto.dev open, with times in microseconds from the first
  // event on.
  std::string chrome_json() const;

 private:
  struct Span {
    std::thread::id thread;
    TraceTicks start, end;
  };
  struct Run {
    std::thread::id thread;
    std::shared_ptr<const TracedSteps> steps;
    std::vector<TraceTicks> ticks;
  };
  struct Call {
    const char* name;
    Span span;
  };
  struct Work {
    std::thread::id caller;
    Span span;
  };

  mutable std::mutex mutex_;  // guards the others
  std::vector<std::pair<std::thread::id, TraceEvent>> added_;
  std::vector<Run> runs_;
  std::vector<Call> calls_;
  std::vector<Work> work_;
};

// The number of traces that are set, of threads and of the process. While it is 0, an evaluation
// reads nothing else about traces.
extern std::atomic<int> traces_set;

// The trace that backends add their steps to, in this thread; null: none.
StepTrace* current_trace();

// Sets the trace of this thread during its lifetime.
class TraceScope {
 public:
  explicit TraceScope(StepTrace* trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  StepTrace *const trace_, *const outer_;
};

}  // namespace mithril
