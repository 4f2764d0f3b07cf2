// Traces as JSON for Chrome's trace viewer and Perfetto.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mithril/base/text.hpp"
#include "mithril/base/trace_event.hpp"

namespace mithril {
namespace {

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

// "x float32[8, 16], weight float32[4, 16]"
std::string tensors_text(const std::vector<TracedTensor>& tensors) {
  std::vector<std::string> texts;
  for (const TracedTensor& tensor : tensors)
    texts.push_back(fmt::format("{} {}[{}]", tensor.name, tensor.dtype, join(tensor.dims, ", ")));
  return join(texts, ", ");
}

std::string arguments_text(const TraceEvent& event) {
  if (!event.step) return {};
  const TracedStep& step = *event.step;
  return fmt::format(
      ", \"args\": {{\"kernel\": {}, \"layer\": {}, \"phase\": {}, \"threads\": {}, "
      "\"operations\": {}, \"bytes\": {}, \"reads\": {}, \"writes\": {}}}",
      json_string(step.kernel), json_string(step.layer), json_string(step.phase), event.threads,
      step.operations, step.bytes, json_string(tensors_text(step.reads)),
      json_string(tensors_text(step.writes)));
}

// The names of the threads: threads of the pool do nothing but work for others.
std::string thread_names(const std::vector<TraceEvent>& events) {
  std::set<int> all, callers;
  for (const TraceEvent& event : events) {
    all.insert(event.thread);
    if (event.kind != TraceEvent::Kind::work) callers.insert(event.thread);
  }
  std::string text;
  for (const int thread : all) {
    text += fmt::format(
        ",\n{{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": {}, "
        "\"args\": {{\"name\": \"{} {}\"}}}}",
        thread + 1, callers.contains(thread) ? "thread" : "helper", thread);
  }
  return text;
}

}  // namespace

std::string chrome_json(const std::vector<TraceEvent>& events) {
  const auto microseconds = [](std::int64_t time) { return static_cast<double>(time) * 1e-3; };
  const auto first =
      std::min_element(events.begin(), events.end(),
                       [](const TraceEvent& a, const TraceEvent& b) { return a.start < b.start; });
  std::string text = "{\"traceEvents\": [";
  for (const TraceEvent& event : events) {
    text += fmt::format(
        "{}\n{{\"name\": {}, \"cat\": {}, \"ph\": \"X\", \"ts\": {:.3f}, \"dur\": {:.3f}, "
        "\"pid\": 1, \"tid\": {}{}}}",
        &event == events.data() ? "" : ",", json_string(event.name), json_string(event.category),
        microseconds(event.start - first->start), microseconds(event.end - event.start),
        event.thread + 1, arguments_text(event));
  }
  return text + thread_names(events) + "\n], \"displayTimeUnit\": \"ns\"}\n";
}

}  // namespace mithril
