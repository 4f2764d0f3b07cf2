// The requests that wait for one model.
#pragma once

#include <deque>
#include <memory>

#include "mithril/engine/inference_request.hpp"

namespace mithril {

// The requests that wait for one registered model. The mutex of the scheduler guards it.
struct RequestQueue {
  std::deque<std::shared_ptr<InferenceRequest>> waiting;
  bool active = false;  // the scheduler lists it
  bool closed = false;  // the model was unloaded
};

}  // namespace mithril
