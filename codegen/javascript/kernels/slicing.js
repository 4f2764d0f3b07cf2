// The elements of slices, by the rules of Python.
import { axisOf, stridesOf } from "./axes.js";

function rangeOf(start, stop, step, size) {
  const by = step === null ? 1 : step;
  const [low, high] = by > 0 ? [0, size] : [-1, size - 1];
  const place = (bound, otherwise) => {
    if (bound === null) return otherwise;
    return Math.min(Math.max(bound < 0 ? bound + size : bound, low), high);
  };
  const first = place(start, by > 0 ? low : high);
  const last = place(stop, by > 0 ? high : low);
  const span = by > 0 ? last - first : first - last;
  return { first, count: span > 0 ? Math.floor((span - 1) / Math.abs(by)) + 1 : 0, by };
}

// Starts at `start` and takes counts[axis] elements, steps[axis] apart, along each axis.
export function sliceOf(dims, starts, stops, steps, axes) {
  const slice = { counts: [...dims], steps: stridesOf(dims), start: 0 };
  for (let i = 0; i < starts.length; ++i) {
    const axis = axisOf(axes === null ? i : axes[i], dims.length);
    const range = rangeOf(starts[i], stops[i], steps === null ? 1 : steps[i], dims[axis]);
    slice.counts[axis] = range.count;
    slice.start += range.first * slice.steps[axis];
    slice.steps[axis] *= range.by;
  }
  return slice;
}
