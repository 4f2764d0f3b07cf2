#include "mithril/engine/engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "mithril/backend/backend.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
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
  require_of_engine(options.max_batch_size >= 1, "register", "max_batch_size",
                    options.max_batch_size, "at least 1");
  require_of_engine(options.max_delay.count() >= 0, "register", "max_delay",
                    options.max_delay.count(), "at least 0 microseconds");
  require_of_engine(options.max_padding >= 0 && options.max_padding <= 1, "register", "max_padding",
                    options.max_padding, "0 to 1");
  require_of_engine(options.max_queue >= 1, "register", "max_queue",
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
  } catch (const std::bad_alloc&) {
    ServingCounters::add(counters.failed);
    raise_out_of_memory();
  } catch (...) {  // also what a function of the user throws
    ServingCounters::add(counters.failed);
    throw;
  }
}

}  // namespace

struct Engine::Impl {
  explicit Impl(const EngineOptions& options)
      : sessions(options.max_sessions, options.session_age),
        registry(options.memory_limit, sessions),
        scheduler(options.threads == 0 ? processor_count() : options.threads) {}

  using Request = std::shared_ptr<InferenceRequest>;

  FoundModel find(const std::string& name) {
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
    scheduler.acquire({.name = found.entry->name,
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
    const Scheduler::Slot slot(scheduler);
    const std::string& name = found.entry->name;
    ServingCounters& counters = *found.entry->counters;
    const ServingClock::time_point begin = ServingClock::now();
    ServingCounters::add(counters.calls);
    ServingCounters::add(counters.rows, static_cast<std::uint64_t>(inputs.rows));
    TensorMap outputs = counting_failures(counters, [&] {
      const TraceScope scope(options.trace);
      return session ? run_in_session(name, *session, inputs) : found.served->run(inputs);
    });
    const ServingClock::time_point end = ServingClock::now();
    ServingCounters::add(counters.wait_nanoseconds, begin - start);
    ServingCounters::add(counters.run_nanoseconds, end - begin);
    refuse_ended(found, options);
    counters.answer(end - start);
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
    scheduler.push({&arrival, 1});
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
    if (!waits && scheduler.try_acquire(*found.entry->queue, name, *found.entry->counters))
      return run_in_slot(found, checked, nullptr, options, ServingClock::now());
    return enqueue(arrival_of(found, std::move(checked), nullptr, options))->get();
  }

  Sessions sessions;
  ModelRegistry registry;
  Scheduler scheduler;  // ends first
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
  const auto removed = impl_->registry.remove(name);
  impl_->scheduler.close(*removed->queue);
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

std::vector<InferResult> Engine::infer_batch(const std::string& name,
                                             std::span<const TensorMap> requests,
                                             const InferOptions& options) {
  std::vector<InferResult> results(requests.size());
  std::vector<Scheduler::Arrival> arrivals;
  std::vector<std::size_t> indices;  // per arrival: of its request
  for (std::size_t i = 0; i < requests.size(); ++i) {
    try {
      arrivals.push_back(impl_->arrive(name, requests[i], options));
      indices.push_back(i);
    } catch (const Error&) {
      results[i].error = std::current_exception();
    }
  }
  const auto end_of_push = [&](std::size_t begin) {  // no more than may wait
    const std::size_t most = arrivals[begin].request->model->options().max_queue;
    return std::min(arrivals.size(), begin + std::max<std::size_t>(most, 1));
  };
  for (std::size_t i = 0, pushed = 0; i < arrivals.size(); ++i) {
    if (i == pushed) {
      pushed = end_of_push(i);
      impl_->scheduler.push(std::span(arrivals).subspan(i, pushed - i));
    }
    InferResult& result = results[indices[i]];
    try {
      if (arrivals[i].refusal) std::rethrow_exception(arrivals[i].refusal);
      result.outputs = arrivals[i].request->get();
    } catch (...) {
      result.error = std::current_exception();
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
  impl_->scheduler.shut_down(until);
}

PendingAnswer::PendingAnswer(std::shared_ptr<InferenceRequest> request)
    : request_(std::move(request)) {}
PendingAnswer::~PendingAnswer() = default;
PendingAnswer::PendingAnswer(PendingAnswer&&) noexcept = default;
PendingAnswer& PendingAnswer::operator=(PendingAnswer&&) noexcept = default;

TensorMap PendingAnswer::get() { return request_->get(); }
bool PendingAnswer::is_done() const { return request_->is_done(); }
bool PendingAnswer::wait_until(std::chrono::steady_clock::time_point time) {
  return request_->wait_until(time);
}
void PendingAnswer::cancel() { request_->cancel(); }

}  // namespace mithril
