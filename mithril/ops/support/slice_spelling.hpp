// How slice and its gradient are spelled for torch: one call for each axis.
#pragma once
#include <string>
#include <vector>

#include "mithril/ops/support/slice_ports.hpp"
#include "mithril/ops/support/slicing.hpp"
#include "mithril/ops/support/spelling.hpp"

namespace mithril {

struct SlicedAxis {
  int64_t axis, start, stop, step;  // of ascending indices
  bool flipped;                     // the step is negative
};

// The axes along which a slice of these dims leaves something out or turns round.
inline std::vector<SlicedAxis> sliced_axes(const SpellingContext& c, const Dims& dims) {
  const Datum &starts = c.value("starts"), &stops = c.value("stops"), &steps = c.value("steps"),
              &axes = c.value("axes");
  std::vector<SlicedAxis> sliced;
  for (size_t i = 0; i < starts.tuple().size(); ++i) {
    const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), dims.size());
    const Slice slice{starts.tuple()[i], stops.tuple()[i],
                      steps.is_none() ? Datum() : steps.tuple()[i]};
    const ItemRange range = range_of(slice, dims[axis]);
    if (range.count == dims[axis] && range.step == 1) continue;
    const int64_t last = range.start + (range.count - 1) * range.step;
    const bool down = range.step < 0;
    const int64_t low = range.count == 0 ? 0 : std::min(range.start, last);
    const int64_t high = range.count == 0 ? 0 : std::max(range.start, last) + 1;
    sliced.push_back({static_cast<int64_t>(axis), low, high, std::abs(range.step), down});
  }
  return sliced;
}

inline std::string spell_flipped(const std::string& text, const SlicedAxis& at) {
  return at.flipped ? spell_call("aten::flip", {text, to_string(Dims{at.axis})}) : text;
}

inline std::vector<std::string> spell_bounds(const SlicedAxis& at) {
  return {spell_number(at.axis), spell_number(at.start), spell_number(at.stop),
          spell_number(at.step)};
}

inline std::string spell_slice(const SpellingContext& c) {
  std::string text = "input";
  for (const SlicedAxis& at : sliced_axes(c, c.dims("input"))) {
    std::vector<std::string> arguments = spell_bounds(at);
    arguments.insert(arguments.begin(), text);
    text = spell_flipped(spell_call("aten::slice", arguments), at);
  }
  return text;
}

// Restores the sliced axes in reverse order.
inline std::string spell_slice_grad(const SpellingContext& c) {
  const std::vector<SlicedAxis> sliced = sliced_axes(c, c.dims("like"));
  std::vector<Dims> before{c.dims("like")};
  for (const SlicedAxis& at : sliced) {
    before.push_back(before.back());
    before.back()[static_cast<size_t>(at.axis)] = (at.stop - at.start + at.step - 1) / at.step;
  }
  std::string text = "input";
  for (size_t i = sliced.size(); i-- > 0;) {
    std::vector<std::string> arguments{spell_flipped(text, sliced[i]), to_string(before[i])};
    for (std::string& bound : spell_bounds(sliced[i])) arguments.push_back(std::move(bound));
    text = spell_call("aten::slice_backward", arguments);
  }
  return text;
}

}  // namespace mithril
