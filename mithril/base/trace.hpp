// Traces: what threads did when, in the format of Chrome's trace viewer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mithril/base/trace_clock.hpp"

namespace mithril {

struct TracedTensor {
  std::string name, dtype;
  std::vector<std::int64_t> dims;
};

// A step of a plan, which is the same in each run.
struct TracedStep {
  std::string name;              // the path of its result: "encoder.fc1.output"
  std::vector<std::string> ops;  // {"linear", "gelu"}
  std::string kernel;            // what the backend runs: "gemm + elementwise"
  std::string layer;             // the part that the result belongs to: "encoder.fc1"
  std::string phase;             // "forward", "backward" or "update"
  std::string backend = "cpu";   // "torch"
  std::string device = "cpu";    // "cuda:0"
  // The operations of model.cost(), and the bytes that the step reads and writes if nothing is in a
  // cache.
  std::int64_t operations = 0, bytes = 0;
  std::vector<TracedTensor> reads = {}, writes = {};
};
using TracedSteps = std::vector<TracedStep>;

struct TraceEvent {
  using Clock = std::chrono::steady_clock;
  // A step of a plan, a call of the user, or what a thread of the pool did for a step of another
  // thread.
  enum class Kind : std::uint8_t { step, call, work };

  std::string name;      // "encoder.fc1.output"; of a call: "evaluate"
  std::string category;  // the ops: "linear, gelu"
  Clock::time_point start, end;
  Kind kind = Kind::step;
  int thread = 0;   // the number of the thread, in the order of their first events
  int threads = 1;  // of a step: that worked on it; 0: the backend does not say
  std::shared_ptr<const TracedStep> step = nullptr;  // null: not known
};

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

// The events as JSON that chrome://tracing and ui.perfetto.dev open.
std::string chrome_json(const std::vector<TraceEvent>& events);

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
