// The options of a served model, and its information and statistics.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_model.hpp"

namespace mithril {

struct ServingOptions {
  // The maximum number of rows of one evaluation; 1: requests are not batched. Requests are batched
  // along the first axis, whose size must be one symbol in all inputs and outputs. Rows must not
  // depend on each other.
  std::int64_t max_batch_size = 1;
  // How long the first request of a batch waits for others while a thread is free. 0: it does not
  // wait, and batches form while all threads are busy.
  std::chrono::microseconds max_delay{0};
  std::size_t max_queue = 1024;  // requests that wait; one more is an error
  // The input that is 0 at padding, such as "attention_mask" [N, L]. Inputs with the symbol L are
  // padded to the longest request of the batch, and outputs are cut. Empty: only requests of equal
  // sizes share a batch.
  std::string mask = {};
  // The padding values of other inputs; 0 for inputs that are left out.
  std::vector<std::pair<std::string, double>> padding = {};
  // The largest share of padding in a batch, from 0 to 1. A batch takes the requests whose lengths
  // are nearest to that of its first one.
  double max_padding = 0.1;
  // The outputs of answers; inputs that only others need may be left out. Empty: all but losses and
  // metrics.
  std::vector<std::string> outputs = {};
};

// A model that can be loaded again after the engine has evicted it.
struct ServableModel {
  CompiledModel compiled;
  TensorMap params = {};
  State state = {};
};
using ModelLoader = std::function<ServableModel()>;

// An input or an output of a served model.
struct ServedTensor {
  std::string name;
  DType dtype = DType::float32;
  std::optional<KnownShape> shape = {};  // absent: the rank is not known
};

struct ServedModelInfo {
  std::string name;
  std::string backend;
  std::vector<ServedTensor> inputs, outputs;
  std::vector<std::string> states;  // that a session keeps
  ServingOptions options;
  std::int64_t bytes = 0;  // parameters, constants and initial states; 0 before the first load
  bool loaded = false;     // false: evicted; the next request loads it
};

// Statistics since the name was first registered.
struct ServingStats {
  // The upper bounds of the latency classes in seconds. The last class has no bound.
  static constexpr std::array latency_bounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                             0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

  // All that named the model. When none waits or runs, it is the sum of the five that follow.
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;    // by an error of the request or of its evaluation
  std::uint64_t rejected = 0;  // by a full queue
  std::uint64_t expired = 0;   // by their deadline
  // Cancelled by their caller, by unloading the model, or by shutting down the engine.
  std::uint64_t cancelled = 0;
  std::uint64_t calls = 0;  // evaluations
  std::uint64_t rows = 0;   // in these evaluations
  std::uint64_t loads = 0;
  std::uint64_t waiting = 0;   // now
  std::uint64_t sessions = 0;  // now
  double wait_seconds = 0;     // in queues, of all requests together
  double run_seconds = 0;      // in evaluations
  double latency_seconds = 0;  // of answered requests
  std::array<std::uint64_t, latency_bounds.size() + 1> latencies{};  // answered, by class
};

}  // namespace mithril
