// The answer to a request that runs in the background.
#include <utility>

#include "mithril/engine/engine.hpp"
#include "mithril/engine/inference_request.hpp"

namespace mithril {

PendingAnswer::PendingAnswer(std::shared_ptr<InferenceRequest> request)
    : request_(std::move(request)) {}
PendingAnswer::~PendingAnswer() = default;
PendingAnswer::PendingAnswer(PendingAnswer&&) noexcept = default;
PendingAnswer& PendingAnswer::operator=(PendingAnswer&&) noexcept = default;

TensorMap PendingAnswer::result() { return request_->get(); }
bool PendingAnswer::done() const { return request_->is_done(); }
bool PendingAnswer::wait_until(std::chrono::steady_clock::time_point time) {
  return request_->wait_until(time);
}
void PendingAnswer::cancel() { request_->cancel(); }

}  // namespace mithril
