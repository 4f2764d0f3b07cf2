// Traces: what a thread did when, in the format of Chrome's trace viewer.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace mithril {

struct TraceEvent {
  using Clock = std::chrono::steady_clock;

  std::string name;      // "encoder.fc1.output"
  std::string category;  // the ops: "linear, gelu"
  Clock::time_point start, end;
};

// Thread-safe.
class StepTrace {
 public:
  void add(TraceEvent event);
  // The events in the order of their ends.
  std::vector<TraceEvent> events() const;
  // JSON that chrome://tracing and ui.perfetto.dev open, with times in microseconds from the first
  // event on.
  std::string chrome_json() const;

 private:
  mutable std::mutex mutex_;  // guards events_
  std::vector<TraceEvent> events_;
};

// The trace that backends add their steps to, in this thread; null: none.
StepTrace* current_trace();

// Sets the trace of this thread during its lifetime.
class TraceScope {
 public:
  explicit TraceScope(StepTrace* trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  StepTrace* const outer_;
};

}  // namespace mithril
