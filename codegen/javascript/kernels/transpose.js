// Permutes axes.
import { axisOf, stridesOf } from "./axes.js";
import { copyStrided } from "./strided.js";

export function transpose(output, input, axes) {
  const strides = stridesOf(input.dims);
  let steps = strides;
  if (axes === null) steps = [...strides].reverse();
  if (Array.isArray(axes)) steps = axes.map((axis) => strides[axisOf(axis, strides.length)]);
  copyStrided(output.data, 0, stridesOf(output.dims), input.data, 0, steps, output.dims);
}
