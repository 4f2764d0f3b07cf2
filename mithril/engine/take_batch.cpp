#include "mithril/engine/take_batch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace mithril {
namespace {

bool is_alone(const InferenceRequest& request) {
  return request.session || !request.model->batches() ||
         request.inputs.rows >= request.model->options().max_batch_size;
}

// Whether both may be rows of one batch.
bool may_share(const InferenceRequest& first, const InferenceRequest& other) {
  return !is_alone(first) && other.model == first.model && !other.session &&
         first.model->fit_together(first.inputs, other.inputs);
}

// How far two lengths are apart, over all padded symbols.
std::int64_t distance(const Dims& a, const Dims& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

double elements_of(std::int64_t rows, const Dims& lengths) {
  auto elements = static_cast<double>(rows);
  for (const std::int64_t length : lengths) elements *= static_cast<double>(length);
  return elements;
}

// The rows and lengths of a batch while requests are added.
class BatchSize {
 public:
  explicit BatchSize(const InferenceRequest& first) : options_(first.model->options()) {
    add(first);
  }

  bool has_room_for(const InferenceRequest& other) const {
    if (rows_ + other.inputs.rows > options_.max_batch_size) return false;
    const double used = used_ + elements_of(other.inputs.rows, other.inputs.lengths);
    const double all = elements_of(rows_ + other.inputs.rows, longest(other.inputs.lengths));
    return all - used <= options_.max_padding * all;
  }

  void add(const InferenceRequest& other) {
    lengths_ = longest(other.inputs.lengths);
    rows_ += other.inputs.rows;
    used_ += elements_of(other.inputs.rows, other.inputs.lengths);
  }

 private:
  Dims longest(const Dims& others) const {
    Dims result = others;
    for (std::size_t i = 0; i < lengths_.size(); ++i) result[i] = std::max(result[i], lengths_[i]);
    return result;
  }

  const ServingOptions& options_;
  std::int64_t rows_ = 0;
  Dims lengths_;
  double used_ = 0;  // elements without padding
};

}  // namespace

ServingClock::time_point end_of_delay(const InferenceRequest& first) {
  return is_alone(first) ? first.created : first.created + first.model->options().max_delay;
}

bool is_full(const RequestQueue& queue) {
  const InferenceRequest& first = *queue.waiting.front();
  std::int64_t rows = first.inputs.rows;
  for (const auto& other : queue.waiting) {
    if (other.get() != &first && may_share(first, *other)) rows += other->inputs.rows;
  }
  return rows >= first.model->options().max_batch_size;
}

void remove_done(RequestQueue& queue) {
  std::erase_if(queue.waiting, [](const auto& request) {
    if (request->is_done()) request->leave_queue();
    return request->is_done();
  });
}

std::shared_ptr<InferenceRequest> take_first(RequestQueue& queue) {
  auto first = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  first->leave_queue();
  return first;
}

Requests take_batch(RequestQueue& queue) {
  Requests batch{queue.waiting.front()};
  const InferenceRequest& first = *batch.front();
  Requests others;
  for (const auto& other : queue.waiting) {
    if (other != batch.front() && may_share(first, *other)) others.push_back(other);
  }
  const auto distance_of = [&](const auto& request) {
    return distance(request->inputs.lengths, first.inputs.lengths);
  };
  std::stable_sort(others.begin(), others.end(),
                   [&](const auto& a, const auto& b) { return distance_of(a) < distance_of(b); });
  BatchSize size(first);
  for (const auto& other : others) {
    if (!size.has_room_for(*other)) continue;
    size.add(*other);
    batch.push_back(other);
  }
  std::erase_if(queue.waiting, [&](const auto& request) {
    return std::find(batch.begin(), batch.end(), request) != batch.end();
  });
  for (const auto& request : batch) request->leave_queue();
  return batch;
}

}  // namespace mithril
