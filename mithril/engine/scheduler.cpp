#include "mithril/engine/scheduler.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/engine/engine_errors.hpp"
#include "mithril/engine/run_requests.hpp"

namespace mithril {
namespace {

using Requests = std::vector<std::shared_ptr<InferenceRequest>>;

bool is_alone(const InferenceRequest& request) {
  return request.session || !request.model->batches() ||
         request.inputs.rows >= request.model->options().max_batch_size;
}

// When the first request of a queue has waited long enough.
ServingClock::time_point end_of_delay(const InferenceRequest& first) {
  return is_alone(first) ? first.created : first.created + first.model->options().max_delay;
}

// Whether both may be rows of one batch.
bool may_share(const InferenceRequest& first, const InferenceRequest& other) {
  return !is_alone(first) && other.model == first.model && !other.session &&
         first.model->fit_together(first.inputs, other.inputs);
}

// Whether the batch of the first request is full. Requests that cannot share it do not count.
bool is_full(const RequestQueue& queue) {
  const InferenceRequest& first = *queue.waiting.front();
  std::int64_t rows = first.inputs.rows;
  for (const auto& other : queue.waiting) {
    if (other.get() != &first && may_share(first, *other)) rows += other->inputs.rows;
  }
  return rows >= first.model->options().max_batch_size;
}

void forget(const InferenceRequest& request) { --request.counters->waiting; }

void remove_done(RequestQueue& queue) {
  std::erase_if(queue.waiting, [](const auto& request) {
    if (request->is_done()) forget(*request);
    return request->is_done();
  });
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

// The first request, and those that may be rows of its batch.
Requests take_batch(RequestQueue& queue) {
  Requests batch{queue.waiting.front()};
  const InferenceRequest& first = *batch.front();
  queue.waiting.pop_front();
  Requests others;
  for (const auto& other : queue.waiting) {
    if (may_share(first, *other)) others.push_back(other);
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
  for (const auto& request : batch) forget(*request);
  return batch;
}

}  // namespace

Scheduler::~Scheduler() {
  shut_down(ServingClock::now());
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Scheduler::try_acquire() {
  int now = free_.load(std::memory_order_seq_cst);
  while (now > 0) {
    if (free_.compare_exchange_weak(now, now - 1, std::memory_order_seq_cst)) return true;
  }
  return false;
}

// A thread that waits is counted before it looks, so that either it sees the free slot or it is
// seen here.
void Scheduler::release() {
  free_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  slot_freed_.notify_all();
}

void Scheduler::acquire(const SlotRequest& request) {
  if (!shut_down_.load(std::memory_order_relaxed) && try_acquire()) return;
  std::unique_lock lock(mutex_);
  check_open(request.queue, request.name, request.counters);
  if (request.counters.waiting >= request.max_queue) {
    ServingCounters::add(request.counters.rejected);
    refuse_full_queue(request.name, request.max_queue);
  }
  ++request.counters.waiting, ++callers_, ++sleepers_;
  bool acquired = false;
  const auto is_over = [&] { return request.queue.closed || (acquired = try_acquire()); };
  if (request.deadline) {
    slot_freed_.wait_until(lock, request.cancellation, *request.deadline, is_over);
  } else {
    slot_freed_.wait(lock, request.cancellation, is_over);
  }
  --request.counters.waiting, --callers_, --sleepers_;
  if (acquired) return;
  slot_freed_.notify_all();
  if (request.queue.closed) {
    ServingCounters::add(request.counters.cancelled);
    std::rethrow_exception(unloaded_error(request.name));
  }
  const bool is_cancelled = request.cancellation.stop_requested();
  ServingCounters::add(is_cancelled ? request.counters.cancelled : request.counters.expired);
  std::rethrow_exception(is_cancelled ? cancelled_error(request.name)
                                      : deadline_error(request.name));
}

void Scheduler::check_open(const RequestQueue& queue, const std::string& name,
                           ServingCounters& counters) const {
  if (!shut_down_ && !queue.closed) return;
  ServingCounters::add(counters.cancelled);
  std::rethrow_exception(shut_down_ ? shut_down_error() : unloaded_error(name));
}

bool Scheduler::try_acquire(const RequestQueue& queue, const std::string& name,
                            ServingCounters& counters) {
  const std::lock_guard lock(mutex_);
  check_open(queue, name, counters);
  return queue.waiting.empty() && free_ == slots_ && try_acquire();
}

// Returns whether a worker must look at the queue.
bool Scheduler::add(const Arrival& arrival) {
  const std::shared_ptr<RequestQueue>& queue = arrival.queue;
  const InferenceRequest& request = *arrival.request;
  check_open(*queue, request.name, *request.counters);
  const std::size_t most = request.model->options().max_queue;
  if (queue->waiting.size() >= most) remove_done(*queue);
  if (queue->waiting.size() >= most) {
    ServingCounters::add(request.counters->rejected);
    refuse_full_queue(request.name, most);
  }
  start_workers();
  ++request.counters->waiting;
  queue->waiting.push_back(arrival.request);
  if (!queue->active) active_.push_back(queue);
  return !std::exchange(queue->active, true) || is_full(*queue);
}

void Scheduler::push(std::span<Arrival> arrivals) {
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    for (Arrival& arrival : arrivals) {
      try {
        is_news = add(arrival) || is_news;
      } catch (const Error&) {
        arrival.refusal = std::current_exception();
      }
    }
  }
  if (is_news) changed_.notify_one();
}

void Scheduler::close(RequestQueue& queue) {
  std::deque<std::shared_ptr<InferenceRequest>> dropped;
  {
    const std::lock_guard lock(mutex_);
    queue.closed = true;
    dropped.swap(queue.waiting);
    for (const auto& request : dropped) forget(*request);
  }
  slot_freed_.notify_all();  // callers that wait in their own threads
  for (const auto& request : dropped) request->drop(unloaded_error(request->name));
}

bool Scheduler::is_idle() const {
  const bool has_waiting = std::any_of(active_.begin(), active_.end(),
                                       [](const auto& queue) { return !queue->waiting.empty(); });
  return !has_waiting && callers_ == 0 && free_ == slots_;
}

void Scheduler::shut_down(std::optional<ServingClock::time_point> until) {
  Requests dropped;
  {
    std::unique_lock lock(mutex_);
    shut_down_ = true;
    changed_.notify_all();
    ++sleepers_;
    const auto is_over = [&] { return is_idle(); };
    if (until) {
      slot_freed_.wait_until(lock, *until, is_over);
    } else {
      slot_freed_.wait(lock, is_over);
    }
    --sleepers_;
    for (const auto& queue : active_) {
      for (const auto& request : queue->waiting) forget(*request);
      dropped.insert(dropped.end(), queue->waiting.begin(), queue->waiting.end());
      queue->waiting.clear();
    }
  }
  for (const auto& request : dropped) request->drop(shut_down_error());
}

void Scheduler::start_workers() {
  while (static_cast<int>(workers_.size()) < slots_) workers_.emplace_back([this] { work(); });
}

void Scheduler::wait_for_slot(std::unique_lock<std::mutex>& lock) {
  ++sleepers_;
  slot_freed_.wait(lock, [&] { return try_acquire(); });
  --sleepers_;
}

Scheduler::Next Scheduler::find_next(ServingClock::time_point now) {
  Next next;
  const auto consider = [&](ServingClock::time_point time) {
    if (!next.time || time < *next.time) next.time = time;
  };
  for (const auto& queue : active_) {
    for (const auto& request : queue->waiting) {
      if (!request->deadline) continue;
      if (*request->deadline <= now) {
        request->expire();
      } else {
        consider(*request->deadline);
      }
    }
    remove_done(*queue);
    queue->active = !queue->waiting.empty();
    if (!queue->active) continue;
    const InferenceRequest& first = *queue->waiting.front();
    const ServingClock::time_point end = end_of_delay(first);
    if (!shut_down_ && end > now && !is_full(*queue)) {
      consider(end);
    } else if (!next.ready || first.created < next.ready->waiting.front()->created) {
      next.ready = queue;
    }
  }
  std::erase_if(active_, [](const auto& queue) { return !queue->active; });
  return next;
}

void Scheduler::work() {
  bool has_slot = false;
  std::unique_lock lock(mutex_);
  while (true) {
    const Next next = find_next(ServingClock::now());
    if (next.ready && !has_slot) {
      has_slot = true;
      if (!try_acquire()) wait_for_slot(lock);
      continue;  // another worker may have taken the batch meanwhile
    }
    if (next.ready) {
      const Requests batch = take_batch(*next.ready);
      // Another worker takes over the queues that this one has watched.
      changed_.notify_one();
      lock.unlock();
      run_requests(batch);
      release();
      has_slot = false;
      lock.lock();
      continue;
    }
    if (has_slot) {
      free_.fetch_add(1, std::memory_order_seq_cst);
      slot_freed_.notify_all();
      has_slot = false;
    }
    if (ended_) return;
    if (next.time) {
      changed_.wait_until(lock, *next.time);
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace mithril
