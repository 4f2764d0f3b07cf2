#include "mithril/engine/engine.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "mithril/backend/backend.hpp"
#include "mithril/base/forks.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/engine/engine_errors.hpp"
#include "mithril/engine/model_registry.hpp"
#include "mithril/engine/run_requests.hpp"

namespace mithril {
namespace {

template <typename Number>
void require_of_engine(bool holds, const char* call, const char* option, Number got,
                       const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E1223",
         .message = fmt::format("{}: {} is {}, expected {}", call, option, got, expected)});
}

EngineOptions checked_options(EngineOptions options) {
  require_of_engine(options.threads >= 0, "Engine", "threads", options.threads, "at least 0");
  require_of_engine(options.session_age.count() > 0, "Engine", "session_age",
                    options.session_age.count(), "at least 1 ms");
  if (options.memory_limit) {
    require_of_engine(*options.memory_limit >= 0, "Engine", "memory_limit", *options.memory_limit,
                      "at least 0");
  }
  return options;
}

ServingOptions checked_options(ServingOptions options) {
  require_of_engine(options.max_batch_size >= 1, "register_model", "max_batch_size",
                    options.max_batch_size, "at least 1");
  require_of_engine(options.max_delay.count() >= 0, "register_model", "max_delay",
                    options.max_delay.count(), "at least 0 microseconds");
  require_of_engine(options.max_padding >= 0 && options.max_padding <= 1, "register_model",
                    "max_padding", options.max_padding, "0 to 1");
  require_of_engine(options.max_queue >= 1, "register_model", "max_queue",
                    static_cast<std::int64_t>(options.max_queue), "at least 1");
  return options;
}

bool has_passed(const InferOptions& options) {
  return options.deadline && *options.deadline <= ServingClock::now();
}

// Counts a failure of the body.
template <typename Body>
auto counting_failures(ServingCounters& counters, const Body& body) {
  try {
    return body();
  } catch (const Interrupted&) {
    ServingCounters::add(counters.cancelled);
    throw;
  } catch (...) {  // also of a user's op
    ServingCounters::add(counters.failed);
    throw;
  }
}

}  // namespace

struct Engine::Impl {
  explicit Impl(const EngineOptions& options)
      : sessions(options.max_sessions, options.session_age),
        registry(options.memory_limit, sessions),
        slots(options.threads == 0 ? processor_count() : options.threads),
        own_scheduler(std::make_shared<Scheduler>(slots)) {}

  ~Impl() {
    if (forks == fork_count()) {
      own_scheduler->end();
    } else {
      own_scheduler->leave_to_parent();
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  using Request = std::shared_ptr<InferenceRequest>;

  // In a forked child the first call makes another scheduler. The requests that wait are the
  // parent's.
  Scheduler& scheduler() {
    if (forks.load(std::memory_order_acquire) == fork_count()) return *own_scheduler;
    const std::lock_guard lock(renewing);
    if (forks.load(std::memory_order_relaxed) == fork_count()) return *own_scheduler;
    auto renewed = std::make_shared<Scheduler>(slots);
    if (own_scheduler->is_shut_down()) renewed->shut_down(ServingClock::now());
    registry.renew_queues();
    own_scheduler->leave_to_parent();
    own_scheduler = std::move(renewed);
    forks.store(fork_count(), std::memory_order_release);
    return *own_scheduler;
  }

  FoundModel find(const std::string& name) {
    scheduler();
    const std::shared_ptr<ServingCounters> counters = registry.counters(name);
    ServingCounters::add(counters->requests);
    return counting_failures(*counters, [&] { return registry.find(name); });
  }

  // The session of the request, whose model may be older than the registered one.
  std::shared_ptr<ModelSession> session_of(FoundModel& found, const InferOptions& options) {
    if (options.session.empty()) return nullptr;
    auto session = counting_failures(
        *found.entry->counters, [&] { return sessions.use(found.entry->name, options.session); });
    found.served = session->model;
    return session;
  }

  void refuse_ended(const FoundModel& found, const InferOptions& options) const {
    ServingCounters& counters = *found.entry->counters;
    if (options.cancellation.stop_requested()) {
      ServingCounters::add(counters.cancelled);
      std::rethrow_exception(cancelled_error(found.entry->name));
    }
    if (!has_passed(options)) return;
    ServingCounters::add(counters.expired);
    std::rethrow_exception(deadline_error(found.entry->name));
  }

  TensorMap run_here(const FoundModel& found, const ServedInputs& inputs,
                     const std::shared_ptr<ModelSession>& session, const InferOptions& options) {
    const ServingClock::time_point start = ServingClock::now();
    scheduler().acquire({.name = found.entry->name,
                         .counters = *found.entry->counters,
                         .queue = *found.entry->queue,
                         .max_queue = found.served->options().max_queue,
                         .deadline = options.deadline,
                         .cancellation = options.cancellation});
    return run_in_slot(found, inputs, session, options, start);
  }

  // The request has begun to wait for its slot at `start`.
  TensorMap run_in_slot(const FoundModel& found, const ServedInputs& inputs,
                        const std::shared_ptr<ModelSession>& session, const InferOptions& options,
                        ServingClock::time_point start) {
    const Scheduler::Slot slot(*own_scheduler);
    ServingCounters& counters = *found.entry->counters;
    ServingCounters::add(counters.wait_nanoseconds, ServingClock::now() - start);
    TensorMap outputs = counting_failures(counters, [&] {
      const TraceScope scope(options.trace);
      return run_request({.name = found.entry->name,
                          .model = *found.served,
                          .inputs = inputs,
                          .session = session.get(),
                          .counters = counters});
    });
    refuse_ended(found, options);
    counters.answer(ServingClock::now() - start);
    return outputs;
  }

  static Scheduler::Arrival arrival_of(const FoundModel& found, ServedInputs inputs,
                                       std::shared_ptr<ModelSession> session,
                                       const InferOptions& options) {
    auto request = std::make_shared<InferenceRequest>(found.entry->name, found.served,
                                                      found.entry->counters, std::move(inputs));
    request->deadline = options.deadline;
    request->session = std::move(session);
    request->cancel_on(options.cancellation);
    return {found.entry->queue, std::move(request)};
  }

  Request enqueue(Scheduler::Arrival arrival) {
    scheduler().push({&arrival, 1});
    if (arrival.refusal) std::rethrow_exception(arrival.refusal);
    return std::move(arrival.request);
  }

  Scheduler::Arrival arrive(const std::string& name, const TensorMap& inputs,
                            const InferOptions& options) {
    FoundModel found = find(name);
    refuse_ended(found, options);
    auto session = session_of(found, options);
    ServedInputs checked =
        counting_failures(*found.entry->counters, [&] { return found.served->check(inputs); });
    return arrival_of(found, std::move(checked), std::move(session), options);
  }

  TensorMap infer(const std::string& name, const TensorMap& inputs, const InferOptions& options) {
    FoundModel found = find(name);
    refuse_ended(found, options);
    const auto session = session_of(found, options);
    ServedInputs checked =
        counting_failures(*found.entry->counters, [&] { return found.served->check(inputs); });
    const bool is_batched = found.served->batches() && !session && !options.trace &&
                            checked.rows < found.served->options().max_batch_size;
    if (!is_batched) return run_here(found, checked, session, options);
    // While nothing else runs, there is nothing to share a batch with.
    const bool waits = found.served->options().max_delay.count() > 0;
    if (!waits && scheduler().try_acquire(*found.entry->queue, name, *found.entry->counters))
      return run_in_slot(found, checked, nullptr, options, ServingClock::now());
    const Request request = enqueue(arrival_of(found, std::move(checked), nullptr, options));
    try {
      return request->get();
    } catch (const Interrupted&) {
      request->cancel();
      throw;
    }
  }

  Sessions sessions;
  ModelRegistry registry;
  const int slots;
  std::mutex renewing;
  std::atomic<std::uint32_t> forks{fork_count()};  // of the process that own_scheduler works in
  std::shared_ptr<Scheduler> own_scheduler;        // its workers share it
};

Engine::Engine(EngineOptions options)
    : impl_(std::make_unique<Impl>(checked_options(std::move(options)))) {}

Engine::~Engine() = default;

void Engine::register_model(const std::string& name, ServableModel model, ServingOptions options) {
  check_name(name);
  impl_->registry.add(
      std::make_shared<RegisteredModel>(name, nullptr, checked_options(std::move(options))),
      std::move(model));
}

void Engine::register_model(const std::string& name, ModelLoader loader, ServingOptions options) {
  check_name(name);
  ServableModel model = loader();
  impl_->registry.add(std::make_shared<RegisteredModel>(name, std::move(loader),
                                                        checked_options(std::move(options))),
                      std::move(model));
}

void Engine::register_model(const std::string& name, const Package& package,
                            std::shared_ptr<Backend> backend, ServingOptions options) {
  const auto load = [package, backend = std::move(backend)] {
    if (backend && package.runs_library(backend->name()))
      return ServableModel{package.compile(backend)};
    return ServableModel{package.compile(backend), package.params().share(), package.state()};
  };
  register_model(name, ModelLoader(load), std::move(options));
}

void Engine::count_refused(const std::string& name) {
  const std::shared_ptr<ServingCounters> counters = impl_->registry.counters(name);
  ServingCounters::add(counters->requests);
  ServingCounters::add(counters->failed);
}

void Engine::unload(const std::string& name) {
  impl_->scheduler();
  const auto removed = impl_->registry.remove(name);
  impl_->scheduler().close(*removed->queue);
  impl_->sessions.close_all(name);
}

TensorMap Engine::infer(const std::string& name, const TensorMap& inputs,
                        const InferOptions& options) {
  return impl_->infer(name, inputs, options);
}

PendingAnswer Engine::infer_async(const std::string& name, const TensorMap& inputs,
                                  const InferOptions& options) {
  return PendingAnswer(impl_->enqueue(impl_->arrive(name, inputs, options)));
}

namespace {

// The exception at hand, as the error of one request. An interrupt ends the whole call.
std::exception_ptr error_of_request() try { throw; } catch (const Interrupted&) {
  throw;
} catch (...) {
  return std::current_exception();
}

// The requests of one call. Those that are not answered when the call ends are cancelled.
class Arrivals {
 public:
  ~Arrivals() {
    for (const Scheduler::Arrival& arrival : all) {
      if (!arrival.refusal && !arrival.request->is_done()) arrival.request->cancel();
    }
  }

  // The end of the arrivals that are pushed with the one at `begin`: no more than may wait.
  std::size_t end_of_push(std::size_t begin) const {
    const std::size_t most = all[begin].request->model->options().max_queue;
    return std::min(all.size(), begin + std::max<std::size_t>(most, 1));
  }

  std::vector<Scheduler::Arrival> all;
  std::vector<std::size_t> indices;  // per arrival: of its request
};

}  // namespace

std::vector<InferResult> Engine::infer_batch(const std::string& name,
                                             std::span<const TensorMap> requests,
                                             const InferOptions& options) {
  std::vector<InferResult> results(requests.size());
  Arrivals arrivals;
  arrivals.all.reserve(requests.size());
  arrivals.indices.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      check_interrupt();
      arrivals.all.push_back(impl_->arrive(name, requests[i], options));
      arrivals.indices.push_back(i);
    } catch (...) {
      results[i].error = error_of_request();
    }
  }
  for (std::size_t i = 0, pushed = 0; i < arrivals.all.size(); ++i) {
    if (i == pushed) {
      pushed = arrivals.end_of_push(i);
      impl_->scheduler().push(std::span(arrivals.all).subspan(i, pushed - i));
    }
    const Scheduler::Arrival& arrival = arrivals.all[i];
    InferResult& result = results[arrivals.indices[i]];
    try {
      if (arrival.refusal) std::rethrow_exception(arrival.refusal);
      result.outputs = arrival.request->get();
    } catch (...) {
      result.error = error_of_request();
    }
  }
  return results;
}

std::string Engine::open_session(const std::string& name, const std::string& id) {
  const FoundModel found = impl_->registry.find(name);
  if (!found.served->has_state()) refuse_stateless(name);
  impl_->registry.make_room(name, found.served->state_bytes());
  return impl_->sessions.open(name, id, found.served, found.entry->counters);
}

void Engine::close_session(const std::string& name, const std::string& id) {
  impl_->sessions.close(name, id);
}

std::vector<std::string> Engine::list_models() const { return impl_->registry.names(); }

ServedModelInfo Engine::model_info(const std::string& name) const {
  return impl_->registry.info(name);
}

ServingStats Engine::stats(const std::string& name) const {
  return impl_->registry.counters(name)->read();
}

std::int64_t Engine::memory() const { return impl_->registry.bytes(); }

void Engine::shut_down(std::optional<std::chrono::steady_clock::time_point> until) {
  impl_->scheduler().shut_down(until);
}

}  // namespace mithril
