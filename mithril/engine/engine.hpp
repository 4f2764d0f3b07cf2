// An engine: serves compiled models to many threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/trace.hpp"
#include "mithril/engine/serving_options.hpp"
#include "mithril/package/package.hpp"

namespace mithril {

struct EngineOptions {
  // The limit for all models and sessions, in bytes. Above it the engine evicts the least recently
  // used models that have a loader. Memory of running evaluations does not count.
  std::optional<std::int64_t> memory_limit = {};
  int threads = 0;  // the most evaluations at a time; 0: the processors of the process
  std::size_t max_sessions = 1024;
  std::chrono::milliseconds session_age = std::chrono::minutes(10);  // since its last request
};

struct InferOptions {
  // A request that is not answered by then fails. A running evaluation is not interrupted.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token cancellation = {};
  std::string session = {};  // an id of open_session; empty: the request starts from no state
  // Gets the steps of the evaluation, on backends that report them: the CPU backend. A traced
  // request runs alone in the calling thread; infer_async and infer_batch ignore the trace.
  StepTrace* trace = nullptr;
};

class InferenceRequest;

// The answer to a request that runs in the background. May outlive its engine.
class PendingAnswer {
 public:
  explicit PendingAnswer(std::shared_ptr<InferenceRequest> request);
  ~PendingAnswer();
  PendingAnswer(PendingAnswer&&) noexcept;
  PendingAnswer& operator=(PendingAnswer&&) noexcept;

  // Waits for the outputs, and returns them once. Throws the error of the request.
  TensorMap result();
  bool done() const;
  TensorMap get() { return result(); }     // the old name, until 0.2
  bool is_done() const { return done(); }  // the old name, until 0.2
  // Returns whether it is done.
  bool wait_until(std::chrono::steady_clock::time_point time);
  void cancel();

 private:
  std::shared_ptr<InferenceRequest> request_;  // shared with the engine
};

// The outputs of one request of infer_batch, or its error.
struct InferResult {
  TensorMap outputs = {};
  std::exception_ptr error = nullptr;
};

// Thread-safe. Requests that are not batched run in the calling thread. Errors: NameError E1201 for
// an unknown model, E1202 for an unknown session; InputError E0801 to E0805 for inputs that do not
// fit; BackendError E1203 for a full queue, E1204 for too many sessions, E1205 after the deadline,
// E1206 for a cancelled request, E1207 if the model was unloaded meanwhile, E1208 after shut_down;
// errors of the evaluation. Example:
//   ml::Engine engine;
//   engine.register_model("digits", compiled, params, {.max_batch_size = 32});
//   ml::TensorMap outputs = engine.infer("digits", {{"image", x}});
class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  // Waits for running evaluations; waiting requests fail with E1208.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Serves the model in inference mode under the name. A model of that name is replaced: requests
  // that it has accepted finish on it, and so do its sessions. ValueError E1220 for a model that
  // cannot be batched, E1221 for one that cannot be padded, E1223 for an option out of range;
  // NameError E1222 for an unknown input in the options; OutOfMemoryError E1209 above the memory
  // limit; errors of bind. A bound model needs no parameters.
  void register_model(const std::string& name, ServableModel model, ServingOptions options = {});
  void register_model(const std::string& name, const CompiledModel& compiled,
                      const TensorMap& params = {}, ServingOptions options = {}) {
    register_model(name, ServableModel{compiled, params.share()}, std::move(options));
  }
  // Loads the model now, and again after it was evicted.
  void register_model(const std::string& name, ModelLoader loader, ServingOptions options = {});
  // Compiles the package for the backend now, and again after it was evicted. Errors as
  // Package::compile. Example:
  //   engine.register_model("minilm", ml::load_package("minilm"), ml::cpu());
  void register_model(const std::string& name, const Package& package,
                      std::shared_ptr<Backend> backend, ServingOptions options = {});
  // Removes the model. Running evaluations finish; waiting requests fail with E1207, also those
  // that are not batched.
  void unload(const std::string& name);

  TensorMap infer(const std::string& name, const TensorMap& inputs,
                  const InferOptions& options = {});
  // Checks the request now and answers it in the background.
  PendingAnswer infer_async(const std::string& name, const TensorMap& inputs,
                            const InferOptions& options = {});
  // The answers in the order of the requests. A failed request does not affect the others.
  std::vector<InferResult> infer_batch(const std::string& name, std::span<const TensorMap> requests,
                                       const InferOptions& options = {});

  // Begins a session, which keeps the state of the model: each request continues where the previous
  // one ended. The id of an open session restarts that session; an empty id makes a new one.
  // Returns the id. StateError E1210 for a model without state.
  std::string open_session(const std::string& name, const std::string& id = "");
  void close_session(const std::string& name, const std::string& id);

  std::vector<std::string> list_models() const;  // sorted
  ServedModelInfo model_info(const std::string& name) const;
  ServingStats stats(const std::string& name) const;
  // Counts a request that failed before it reached the engine, such as one that a server could not
  // read.
  void count_refused(const std::string& name);
  std::int64_t memory() const;  // that counts for memory_limit, in bytes

  // Refuses further requests, and answers those that were accepted. Returns when all are answered,
  // or at the time; then the rest fails with E1208.
  void shut_down(std::optional<std::chrono::steady_clock::time_point> until = {});

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace mithril
