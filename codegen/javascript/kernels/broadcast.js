// Repeats elements along axes.
import { stridesOf } from "./axes.js";
import { copyStrided } from "./strided.js";

// Per axis of `to`, the step in a tensor of dims `from` that is broadcast to it.
export function broadcastSteps(to, from) {
  const steps = new Array(to.length).fill(0);
  const strides = stridesOf(from);
  for (let back = 1; back <= from.length; ++back) {
    const axis = from.length - back;
    steps[to.length - back] = from[axis] === 1 ? 0 : strides[axis];
  }
  return steps;
}

export function broadcast(output, input) {
  const steps = broadcastSteps(output.dims, input.dims);
  copyStrided(output.data, 0, stridesOf(output.dims), input.data, 0, steps, output.dims);
}
