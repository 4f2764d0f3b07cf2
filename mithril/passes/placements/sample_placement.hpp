// Rows of a process play the role of samples in the rules of the records.
#pragma once
#include "mithril/op/sample_context.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

inline SampleAxis sample_axis_of(const Placement& placement) {
  SampleAxis axis;
  if (!placement.is_sharded()) return axis;
  axis = SampleAxis::along(placement.axis, placement.outer);
  axis.numbers = placement.numbers;
  return axis;
}

inline Placement placement_by(const SampleAxis& axis) {
  if (axis.kind == SampleAxis::Kind::sum) return Placement::partial();
  return axis.is_each() ? Placement::sharded(axis.axis, axis.outer, axis.numbers) : Placement{};
}

}  // namespace mithril
