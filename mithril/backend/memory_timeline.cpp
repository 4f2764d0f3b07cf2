#include "mithril/backend/memory_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

constexpr std::size_t shown_values = 12;

// Values in one place count once.
std::int64_t bytes_alive(const MemoryTimeline& timeline, std::size_t step) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::int64_t bytes = 0;
  for (const TimelineValue& value : timeline.values) {
    if (step < value.first || step > value.last) continue;
    if (value.offset < 0)
      bytes += value.bytes;
    else
      ranges.emplace_back(value.offset, value.offset + value.bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  std::int64_t end = 0;
  for (const auto& [from, to] : ranges) {
    bytes += std::max<std::int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return bytes;
}

std::string size_text(std::int64_t bytes) { return memory_text(static_cast<double>(bytes)); }

}  // namespace

std::vector<TimelineValue> MemoryTimeline::alive_at(std::size_t step) const {
  std::vector<TimelineValue> alive;
  for (const TimelineValue& value : values) {
    if (step >= value.first && step <= value.last) alive.push_back(value);
  }
  std::stable_sort(alive.begin(), alive.end(), [](const TimelineValue& a, const TimelineValue& b) {
    return a.bytes > b.bytes;
  });
  return alive;
}

void add_up(MemoryTimeline& timeline) {
  for (std::size_t i = 0; i < timeline.steps.size(); ++i) {
    timeline.steps[i].bytes = bytes_alive(timeline, i);
    if (timeline.steps[i].bytes <= timeline.peak_bytes) continue;
    timeline.peak_bytes = timeline.steps[i].bytes;
    timeline.peak_step = i;
  }
}

std::string to_string(const MemoryTimeline& timeline) {
  if (timeline.steps.empty()) return "no steps\n";
  const TimelineStep& peak = timeline.steps[timeline.peak_step];
  std::string text =
      fmt::format("peak {} in step {} of {}: {} ({})\n", size_text(timeline.peak_bytes),
                  timeline.peak_step, timeline.steps.size(), printable(peak.name), peak.ops);
  const std::vector<TimelineValue> alive = timeline.alive_at(timeline.peak_step);
  for (std::size_t i = 0; i < std::min(alive.size(), shown_values); ++i) {
    const TimelineValue& value = alive[i];
    text += fmt::format("  {:>9}  {} ({}), steps {} to {}{}\n", size_text(value.bytes),
                        printable(value.name), value.made_by, value.first, value.last,
                        value.offset < 0 ? ", an output" : "");
  }
  if (alive.size() > shown_values)
    text += fmt::format("  and {} smaller values\n", alive.size() - shown_values);
  return text;
}

}  // namespace mithril
