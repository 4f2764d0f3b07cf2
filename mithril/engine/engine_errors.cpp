#include "mithril/engine/engine_errors.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

ErrorDetails engine_failure(const char* code, std::string message, std::vector<Fact> facts = {},
                            std::string help = {}) {
  return {.kind = ErrorKind::backend,
          .code = code,
          .message = std::move(message),
          .facts = std::move(facts),
          .help = std::move(help)};
}

std::exception_ptr as_pointer(ErrorDetails details) {
  return std::make_exception_ptr(BackendError(std::move(details)));
}

constexpr const char* loading_label = "loading";

}  // namespace

void raise_while_loading(const std::string& model, const Error& error) {
  ErrorDetails details = error.unnumbered();
  details.facts.push_back({loading_label, "model " + in_quotes(model), ""});
  raise(std::move(details));
}

bool is_of_loading(const Error& error) {
  const std::vector<Fact>& facts = error.details().facts;
  return !facts.empty() && facts.back().label == loading_label;
}

void unknown_model(std::string_view name, std::vector<std::string> registered) {
  std::stable_sort(registered.begin(), registered.end(),
                   [&](const std::string& a, const std::string& b) {
                     return edit_distance(name, a) < edit_distance(name, b);
                   });
  unknown_name(ErrorKind::name, "E1201", "model", name, "", registered);
}

void unknown_session(const std::string& model, const std::string& id) {
  raise({.kind = ErrorKind::name,
         .code = "E1202",
         .message = "there is no session " + in_quotes(id) + " of model " + in_quotes(model),
         .help = "open_session begins one; it ends when it was not used for session_age"});
}

void refuse_full_queue(const std::string& model, std::size_t max_queue) {
  raise(engine_failure("E1203", "the queue of model " + in_quotes(model) + " is full",
                       {{"max_queue", std::to_string(max_queue)}}, "send the request again later"));
}

void refuse_session(const std::string& model, std::size_t max_sessions) {
  raise(engine_failure("E1204",
                       "there is no place for another session of model " + in_quotes(model),
                       {{"max_sessions", std::to_string(max_sessions)}}, "close sessions"));
}

void refuse_model(const std::string& model, std::int64_t bytes, std::int64_t in_use,
                  std::int64_t limit) {
  const auto text = [](std::int64_t size) { return memory_text(static_cast<double>(size)); };
  raise(
      {.kind = ErrorKind::out_of_memory,
       .code = "E1209",
       .message = "model " + in_quotes(model) + " needs more memory than the engine may use",
       .facts = {{"needed", text(bytes)}, {"in use", text(in_use)}, {"memory_limit", text(limit)}},
       .help = "unload a model; those that were registered with a loader are evicted by need"});
}

void refuse_stateless(const std::string& model) {
  raise({.kind = ErrorKind::state,
         .code = "E1210",
         .message = "model " + in_quotes(model) + " has no state that a session could keep"});
}

void refuse_without_threads(const std::string& why) {
  raise(engine_failure("E1211", "the engine cannot start a thread: " + why, {},
                       "end other threads of the process, or raise its limit of threads"));
}

void refuse_request_of_parent(const std::string& model) {
  raise(engine_failure("E1212",
                       "a request to model " + in_quotes(model) +
                           " was sent before this process was "
                           "forked, so the parent answers it",
                       {}, "send it again in the child"));
}

std::exception_ptr deadline_error(const std::string& model) {
  return as_pointer(engine_failure(
      "E1205", "a request to model " + in_quotes(model) + " was not answered by its deadline"));
}

std::exception_ptr cancelled_error(const std::string& model) {
  return as_pointer(
      engine_failure("E1206", "a request to model " + in_quotes(model) + " was cancelled"));
}

std::exception_ptr unloaded_error(const std::string& model) {
  return as_pointer(engine_failure(
      "E1207", "model " + in_quotes(model) + " was unloaded while a request was waiting"));
}

std::exception_ptr shut_down_error() {
  return as_pointer(engine_failure("E1208", "the engine was shut down"));
}

}  // namespace mithril
