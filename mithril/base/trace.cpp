#include "mithril/base/trace.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <set>

#include "mithril/base/text.hpp"

namespace mithril {
namespace {

thread_local StepTrace* trace_of_thread = nullptr;

// Numbers threads in the order of their first events.
std::vector<TraceEvent> numbered(std::vector<std::pair<std::thread::id, TraceEvent>> events) {
  std::vector<std::pair<std::int64_t, std::thread::id>> starts;
  for (const auto& [thread, event] : events) starts.emplace_back(event.start, thread);
  std::stable_sort(starts.begin(), starts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<std::thread::id, int> numbers;
  for (const auto& [start, thread] : starts)
    numbers.emplace(thread, static_cast<int>(numbers.size()));
  std::vector<TraceEvent> all;
  all.reserve(events.size());
  for (auto& [thread, event] : events) {
    event.thread = numbers.at(thread);
    all.push_back(std::move(event));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.end < b.end; });
  return all;
}

}  // namespace

std::atomic<int> traces_set{0};

StepTrace::StepTrace() {
  constexpr std::size_t first_calls = 64;  // without moving those before
  runs_.reserve(first_calls);
  calls_.reserve(first_calls);
}

void StepTrace::add(TraceEvent event) {
  const std::lock_guard lock(mutex_);
  added_.emplace_back(std::this_thread::get_id(), std::move(event));
}

void StepTrace::add_steps(std::shared_ptr<const TracedSteps> steps, std::vector<TraceTicks> ticks) {
  const std::lock_guard lock(mutex_);
  runs_.push_back({std::this_thread::get_id(), std::move(steps), std::move(ticks)});
}

void StepTrace::add_call(const char* name, TraceTicks start, TraceTicks end) noexcept try {
  const std::lock_guard lock(mutex_);
  calls_.push_back({name, {std::this_thread::get_id(), start, end}});
} catch (const std::bad_alloc&) {  // the trace lacks it
}

void StepTrace::add_work(std::thread::id caller, TraceTicks start, TraceTicks end) noexcept try {
  const std::lock_guard lock(mutex_);
  work_.push_back({caller, {std::this_thread::get_id(), start, end}});
} catch (const std::bad_alloc&) {  // the trace lacks it
}

std::vector<TraceEvent> StepTrace::events() const {
  const std::lock_guard lock(mutex_);
  auto events = added_;
  if (runs_.empty() && calls_.empty() && work_.empty()) return numbered(std::move(events));
  const TickConversion ticks;
  std::map<std::thread::id, std::vector<Work>> work_for;  // by caller, in the order of starts
  for (const Work& work : work_) work_for[work.caller].push_back(work);
  for (auto& [caller, work] : work_for) {
    std::sort(work.begin(), work.end(),
              [](const Work& a, const Work& b) { return a.span.start < b.span.start; });
  }
  // The threads that worked between the two.
  const auto threads_between = [&](std::thread::id caller, TraceTicks start, TraceTicks end) {
    std::set<std::thread::id> threads{caller};
    const auto found = work_for.find(caller);
    if (found == work_for.end()) return 1;
    auto at = std::lower_bound(
        found->second.begin(), found->second.end(), start,
        [](const Work& work, TraceTicks begin) { return work.span.start < begin; });
    for (; at != found->second.end() && at->span.start < end; ++at) threads.insert(at->span.thread);
    return static_cast<int>(threads.size());
  };
  const auto threads_of = [&](const TracedStep& step, const Run& run, size_t i) {
    if (step.backend != "cpu") return 0;
    return threads_between(run.thread, run.ticks[i], run.ticks[i + 1]);
  };
  for (const Run& run : runs_) {
    for (size_t i = 0; i + 1 < run.ticks.size(); ++i) {
      const TracedStep& step = (*run.steps)[i];
      events.emplace_back(run.thread, TraceEvent{.name = step.name,
                                                 .category = join(step.ops, ", "),
                                                 .start = ticks.nanoseconds(run.ticks[i]),
                                                 .end = ticks.nanoseconds(run.ticks[i + 1]),
                                                 .threads = threads_of(step, run, i),
                                                 .step = {run.steps, &step}});
    }
  }
  const auto add_span = [&](const Span& span, const char* name, TraceEvent::Kind kind) {
    events.emplace_back(span.thread, TraceEvent{.name = name,
                                                .category = name,
                                                .start = ticks.nanoseconds(span.start),
                                                .end = ticks.nanoseconds(span.end),
                                                .kind = kind});
  };
  for (const Call& call : calls_) add_span(call.span, call.name, TraceEvent::Kind::call);
  for (const Work& work : work_) add_span(work.span, "work", TraceEvent::Kind::work);
  return numbered(std::move(events));
}

std::string StepTrace::chrome_json() const { return mithril::chrome_json(events()); }

StepTrace* current_trace() { return trace_of_thread; }

TraceScope::TraceScope(StepTrace* trace)
    : trace_(trace), outer_(std::exchange(trace_of_thread, trace)) {
  if (trace_) traces_set.fetch_add(1, std::memory_order_relaxed);
}

TraceScope::~TraceScope() {
  trace_of_thread = outer_;
  if (trace_) traces_set.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace mithril
