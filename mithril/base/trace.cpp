#include "mithril/base/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mithril {
namespace {

thread_local StepTrace* trace_of_thread = nullptr;

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20) {
      result += fmt::format("\\u{:04x}", code);
      continue;
    }
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + "\"";
}

}  // namespace

void StepTrace::add(TraceEvent event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

std::vector<TraceEvent> StepTrace::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::string StepTrace::chrome_json() const {
  using Microseconds = std::chrono::duration<double, std::micro>;
  const std::vector<TraceEvent> all = events();
  const auto first =
      std::min_element(all.begin(), all.end(),
                       [](const TraceEvent& a, const TraceEvent& b) { return a.start < b.start; });
  std::string text = "{\"traceEvents\": [";
  for (const TraceEvent& event : all) {
    text += fmt::format(
        "{}\n{{\"name\": {}, \"cat\": {}, \"ph\": \"X\", \"ts\": {:.3f}, \"dur\": {:.3f}, "
        "\"pid\": 1, \"tid\": 1}}",
        &event == all.data() ? "" : ",", json_string(event.name), json_string(event.category),
        Microseconds(event.start - first->start).count(),
        Microseconds(event.end - event.start).count());
  }
  return text + "\n], \"displayTimeUnit\": \"ns\"}\n";
}

StepTrace* current_trace() { return trace_of_thread; }

TraceScope::TraceScope(StepTrace* trace) : outer_(std::exchange(trace_of_thread, trace)) {}
TraceScope::~TraceScope() { trace_of_thread = outer_; }

}  // namespace mithril
