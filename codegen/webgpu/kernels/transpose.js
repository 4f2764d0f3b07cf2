// Permutes axes.
import { axisOf, stridesOf } from "./indices.js";
import { addMove } from "./moving.js";

export function transpose(output, input, axes) {
  const strides = stridesOf(input.dims);
  let steps = strides;
  if (axes === null) steps = [...strides].reverse();
  if (Array.isArray(axes)) steps = axes.map((axis) => strides[axisOf(axis, strides.length)]);
  addMove(output, input, steps);
}
