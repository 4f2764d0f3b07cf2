// The memory of a run, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mithril {

struct TimelineStep {
  std::string name;        // the path of its result: "encoder.fc1.output"
  std::string ops;         // "linear, gelu"
  std::int64_t bytes = 0;  // of all values that are alive while it runs
};

// A value that a run makes, or the scratch memory of a step.
struct TimelineValue {
  std::string name;     // "encoder.fc1.output", "scratch"
  std::string made_by;  // the op: "linear"
  std::int64_t bytes = 0;
  std::size_t first = 0, last = 0;  // the steps that make it and read it last
  // Where it is: in the memory of the run, from this byte on; negative: an output has memory of its
  // own. Values that share bytes at one time are written in place.
  std::int64_t offset = 0;
};

// Inputs, parameters and constants are not in it: the caller or the model has their memory.
struct MemoryTimeline {
  std::vector<TimelineStep> steps;
  std::vector<TimelineValue> values;  // in the order in which they are made
  std::int64_t planned_bytes = 0;     // what a run takes, gaps between values included
  std::int64_t peak_bytes = 0;        // the most that is alive at once
  std::size_t peak_step = 0;          // the first step at which it is

  // The values that are alive at a step, the largest first.
  std::vector<TimelineValue> alive_at(std::size_t step) const;
};

// A table: the steps with the most memory alive, and the values that own the peak.
std::string to_string(const MemoryTimeline& timeline);
// Fills in the bytes of the steps and the peak.
void add_up(MemoryTimeline& timeline);

}  // namespace mithril
