#include "mithril/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <numeric>
#include <string_view>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/trace.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril {
namespace {

constexpr std::string_view profile_name = "profile";

double seconds_of(std::int64_t time) { return static_cast<double>(time) * 1e-9; }

// The order in which events of one thread begin, the outer ones first.
std::vector<std::size_t> by_beginning(const std::vector<TraceEvent>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const TraceEvent &one = events[a], &other = events[b];
    if (one.thread != other.thread) return one.thread < other.thread;
    if (one.start != other.start) return one.start < other.start;
    if (one.end != other.end) return one.end > other.end;
    return one.kind == TraceEvent::Kind::call && other.kind != TraceEvent::Kind::call;
  });
  return order;
}

// "encoder.layers.0.norm" to a depth of 2: "encoder.layers".
std::string cut(const std::string& path, std::size_t depth) {
  std::size_t end = 0;
  for (std::size_t level = 0; level < depth && end != path.npos; ++level)
    end = path.find('.', level == 0 ? 0 : end + 1);
  return depth == 0 ? path : path.substr(0, end);
}

std::string row_name(const TraceEvent& event, const ProfileRowsOptions& options) {
  if (options.by == ProfileBy::path) return event.name;
  if (options.by == ProfileBy::op || !event.step) return event.category;
  if (options.by == ProfileBy::kernel) return event.step->kernel;
  if (options.by == ProfileBy::phase) return event.step->phase;
  return cut(event.step->layer, options.depth);
}

}  // namespace

ProfileBy parse_profile_by(std::string_view text) {
  constexpr std::array<std::string_view, 5> names = {"op", "path", "kernel", "layer", "phase"};
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<ProfileBy>(found - names.begin());
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message =
             fmt::format("profile: by is '{}', expected one of {}", text, fmt::join(names, ", "))});
}

struct Profile::Events {
  std::mutex mutex;  // guards the others until they are read
  bool are_read = false;
  std::vector<TraceEvent> all;
  std::vector<std::int64_t> own_times;  // the nanoseconds of each event without the events in it
};

Profile::Profile()
    : trace_(std::make_shared<StepTrace>()),
      start_(trace_ticks()),
      events_(std::make_unique<Events>()) {
  if (begin_process_trace(trace_)) return;
  running_ = false;
  raise({.kind = ErrorKind::state,
         .code = "E0970",
         .message = "a profile of this process records already",
         .help = "stop it first: one profile has the steps of all threads"});
}

Profile::~Profile() {
  if (running_) end_process_trace(*trace_);
}

void Profile::stop() {
  if (!std::exchange(running_, false)) return;
  trace_->add_call(profile_name.data(), start_, trace_ticks());
  end_process_trace(*trace_);
}

const Profile::Events& Profile::read() const {
  if (running_) {
    raise({.kind = ErrorKind::state,
           .code = "E0971",
           .message = "the profile has not ended",
           .help = "read it after stop(), in Python after its with block"});
  }
  const std::lock_guard lock(events_->mutex);
  if (events_->are_read) return *events_;
  auto& [mutex, are_read, all, own_times] = *events_;
  all = trace_->events();
  const auto whole = std::find_if(all.begin(), all.end(), [](const TraceEvent& event) {
    return event.kind == TraceEvent::Kind::call && event.name == profile_name;
  });
  // Other threads may have ended their steps after the profile.
  const std::int64_t start = whole->start, end = whole->end;
  std::erase_if(all,
                [&](const TraceEvent& event) { return event.start < start || event.end > end; });
  own_times.resize(all.size());
  std::vector<std::size_t> around;  // the events that contain the current one
  for (const std::size_t at : by_beginning(all)) {
    const TraceEvent& event = all[at];
    const auto ended = [&](const TraceEvent& outer) {
      return outer.thread != event.thread || outer.end < event.end || outer.end <= event.start;
    };
    while (!around.empty() && ended(all[around.back()])) around.pop_back();
    own_times[at] = event.end - event.start;
    if (!around.empty()) own_times[around.back()] -= own_times[at];
    around.push_back(at);
  }
  are_read = true;
  return *events_;
}

const std::vector<TraceEvent>& Profile::events() const { return read().all; }

double Profile::seconds() const {
  for (const TraceEvent& event : events()) {
    if (event.kind == TraceEvent::Kind::call && event.name == profile_name)
      return seconds_of(event.end - event.start);
  }
  return 0;
}

std::vector<ProfileRow> Profile::rows(const ProfileRowsOptions& options) const {
  const std::vector<TraceEvent>& events = this->events();
  const std::vector<std::int64_t>& own = events_->own_times;
  std::map<std::string, std::pair<ProfileRow, std::int64_t>> by_name;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    if (event.kind != TraceEvent::Kind::step) continue;
    auto& [row, time] = by_name[row_name(event, options)];
    const bool on_cpu = !event.step || event.step->device == "cpu";
    row.on_cpu = on_cpu && (row.on_cpu || row.calls == 0);
    ++row.calls;
    time += own[i];
    row.threads = std::max(row.threads, event.threads);
    if (!event.step) continue;
    row.operations += event.step->operations;
    row.bytes += event.step->bytes;
  }
  std::vector<ProfileRow> rows;
  for (auto& [name, entry] : by_name) {
    entry.first.name = name;
    entry.first.seconds = seconds_of(entry.second);
    rows.push_back(std::move(entry.first));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return rows;
}

std::vector<ProfileGap> Profile::gaps() const {
  const std::vector<TraceEvent>& events = this->events();
  const std::vector<std::int64_t>& own = events_->own_times;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_name;  // calls, time
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != TraceEvent::Kind::call) continue;
    if (events[i].name == profile_name) {
      outside = own[i];
      continue;
    }
    auto& [calls, time] = by_name[events[i].name];
    ++calls;
    time += own[i];
  }
  std::vector<ProfileGap> gaps;
  for (const auto& [name, entry] : by_name)
    gaps.push_back({name + ", between steps", entry.first, seconds_of(entry.second)});
  gaps.push_back({"outside of calls", 0, seconds_of(outside)});
  return gaps;
}

std::string Profile::chrome_json() const { return mithril::chrome_json(events()); }

void Profile::save(const std::string& path) const {
  const std::string why = write_file(path, chrome_json());
  if (!why.empty()) cannot_write(path, why);
}

}  // namespace mithril
