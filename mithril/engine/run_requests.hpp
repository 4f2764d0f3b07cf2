// The evaluation of requests that a scheduler has chosen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/engine/inference_request.hpp"

namespace mithril {

// Evaluates in the session and replaces its state. An error after the first write to the state
// closes the session. E1202 if it is closed.
TensorMap run_in_session(const std::string& name, ModelSession& session,
                         const ServedInputs& inputs);

// Answers each request, or fails it. Requests whose batch fails are evaluated one by one.
void run_requests(const std::vector<std::shared_ptr<InferenceRequest>>& batch);

}  // namespace mithril
