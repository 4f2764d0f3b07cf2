// Exchanges two axes.
import { axisOf, stridesOf } from "./axes.js";
import { copyStrided } from "./strided.js";

export function swapaxes(output, input, axis1, axis2) {
  const steps = stridesOf(input.dims);
  const [a, b] = [axisOf(axis1, steps.length), axisOf(axis2, steps.length)];
  [steps[a], steps[b]] = [steps[b], steps[a]];
  copyStrided(output.data, 0, stridesOf(output.dims), input.data, 0, steps, output.dims);
}
