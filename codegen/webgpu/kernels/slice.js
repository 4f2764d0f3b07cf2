// Slices.
import { axisOf, stridesOf } from "./indices.js";
import { addMove } from "./moving.js";

// The first element of a slice of an axis, by the rules of Python.
function firstOf(start, step, size) {
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  if (start === null) return step > 0 ? low : high;
  return Math.min(Math.max(start < 0 ? start + size : start, low), high);
}

export function slice(output, input, starts, _stops, steps, axes) {
  const places = stridesOf(input.dims);
  let first = 0;
  starts.forEach((start, i) => {
    const axis = axisOf(axes === null ? i : axes[i], input.dims.length);
    const step = (steps === null ? null : steps[i]) ?? 1;
    first += firstOf(start, step, input.dims[axis]) * places[axis];
    places[axis] *= step;
  });
  addMove(output, input, places, first);
}
