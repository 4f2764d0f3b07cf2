#include "mithril/engine/run_requests.hpp"

#include <utility>

#include "mithril/base/interrupt.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/engine/engine_errors.hpp"

namespace mithril {
namespace {

// Counts an evaluation and its rows when it begins, and its time when it ends, also if it fails.
class MeteredCall {
 public:
  MeteredCall(ServingCounters& counters, std::int64_t rows) : counters_(counters) {
    ServingCounters::add(counters.calls);
    ServingCounters::add(counters.rows, static_cast<std::uint64_t>(rows));
  }
  ~MeteredCall() { ServingCounters::add(counters_.run_nanoseconds, ServingClock::now() - start_); }
  MeteredCall(const MeteredCall&) = delete;
  MeteredCall& operator=(const MeteredCall&) = delete;

 private:
  ServingCounters& counters_;
  const ServingClock::time_point start_ = ServingClock::now();
};

TensorMap run_in_session(const std::string& name, ModelSession& session,
                         const ServedInputs& inputs) {
  const std::lock_guard lock(session.mutex);
  if (session.closed) unknown_session(name, session.id);
  try {
    return session.model->run(inputs, session.state);
  } catch (const Error& error) {
    session.closed = error.details().wrote_inputs;
    throw;
  } catch (const Interrupted&) {  // nothing was written to
    throw;
  } catch (const std::bad_alloc&) {  // `run` throws an Error once it has written
    throw;
  } catch (...) {  // of a user's op: the state may have been written to
    session.closed = true;
    throw;
  }
}

// The caller waits in another thread, so whatever is thrown goes there.
void run_alone(InferenceRequest& request) {
  try {
    request.answer(run_request({.name = request.name,
                                .model = *request.model,
                                .inputs = request.inputs,
                                .session = request.session.get(),
                                .counters = *request.counters}));
  } catch (...) {
    request.fail(std::current_exception());
  }
}

// False if the batch fails, with whatever exception: of the library, or of a user's op.
bool run_together(const std::vector<std::shared_ptr<InferenceRequest>>& batch) try {
  std::vector<const ServedInputs*> inputs;
  std::int64_t rows = 0;
  for (const auto& request : batch) {
    inputs.push_back(&request->inputs);
    rows += request->inputs.rows;
  }
  std::vector<TensorMap> answers;
  {
    const TracedCall traced("infer");
    const MeteredCall call(*batch.front()->counters, rows);
    answers = batch.front()->model->run_batch(inputs);
  }
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->answer(std::move(answers[i]));
  return true;
} catch (...) {
  return false;
}

}  // namespace

TensorMap run_request(const CheckedRequest& request) {
  const TracedCall traced("infer");
  const MeteredCall call(request.counters, request.inputs.rows);
  return request.session ? run_in_session(request.name, *request.session, request.inputs)
                         : request.model.run(request.inputs);
}

void run_requests(const std::vector<std::shared_ptr<InferenceRequest>>& batch) {
  const ServingClock::time_point start = ServingClock::now();
  for (const auto& request : batch)
    ServingCounters::add(request->counters->wait_nanoseconds, start - request->created);
  if (batch.size() > 1 && run_together(batch)) return;
  for (const auto& request : batch) run_alone(*request);
}

}  // namespace mithril
