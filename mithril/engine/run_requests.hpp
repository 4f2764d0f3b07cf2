// The evaluation of requests that a scheduler has chosen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/engine/inference_request.hpp"

namespace mithril {

// A request whose inputs are checked.
struct CheckedRequest {
  const std::string& name;  // of the model
  const ServedModel& model;
  const ServedInputs& inputs;
  ModelSession* session = nullptr;  // null: the request begins with the initial state
  ServingCounters& counters;
};

// Evaluates one request, and counts the evaluation. A session gets the next state; an error after
// the first write to its state closes it. E1202 if it is closed.
TensorMap run_request(const CheckedRequest& request);

// Answers each request, or fails it. Requests whose batch fails are evaluated one by one.
void run_requests(const std::vector<std::shared_ptr<InferenceRequest>>& batch);

}  // namespace mithril
