// Exchanges two axes.
import { axisOf, stridesOf } from "./indices.js";
import { addMove } from "./moving.js";

export function swapaxes(output, input, axis1, axis2) {
  const steps = stridesOf(input.dims);
  const [a, b] = [axisOf(axis1, steps.length), axisOf(axis2, steps.length)];
  [steps[a], steps[b]] = [steps[b], steps[a]];
  addMove(output, input, steps);
}
