// What a trace holds: the steps, calls and work of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  // A step of a plan, a call of the user, or what a thread of the pool did for a step of another
  // thread.
  enum class Kind : std::uint8_t { step, call, work };

  std::string name;         // "encoder.fc1.output"; of a call: "evaluate"
  std::string category;     // the ops: "linear, gelu"
  std::int64_t start, end;  // nanoseconds of std::chrono::steady_clock
  Kind kind = Kind::step;
  int thread = 0;   // the number of the thread, in the order of their first events
  int threads = 1;  // of a step: that worked on it; 0: the backend does not say
  std::shared_ptr<const TracedStep> step = nullptr;  // null: not known
};

// The events as JSON that chrome://tracing and ui.perfetto.dev open.
std::string chrome_json(const std::vector<TraceEvent>& events);

}  // namespace mithril
