// Which of the requests that wait share a batch. All functions are called with the mutex of the
// scheduler held.
#pragma once

#include <memory>
#include <vector>

#include "mithril/engine/request_queue.hpp"

namespace mithril {

using Requests = std::vector<std::shared_ptr<InferenceRequest>>;

// When the first request of a queue has waited long enough.
ServingClock::time_point end_of_delay(const InferenceRequest& first);
// Whether the batch of the first request is full. Requests that cannot share it do not count.
bool is_full(const RequestQueue& queue);
void remove_done(RequestQueue& queue);
std::shared_ptr<InferenceRequest> take_first(RequestQueue& queue);
// The first request, and those that may be rows of its batch. They are in the queue until all
// memory is allocated.
Requests take_batch(RequestQueue& queue);

}  // namespace mithril
