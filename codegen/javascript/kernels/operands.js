// Functions of two operands, tensors or numbers, that are broadcast to the output.
import { broadcastSteps } from "./broadcast.js";
import { scratch } from "./scratch.js";
import { copyStrided } from "./strided.js";
import { stridesOf } from "./axes.js";
import { Tensor } from "./tensor.js";

// The elements of a tensor or number that broadcast to those of the output.
export function broadcastElements(name, output, operand) {
  if (operand instanceof Tensor && operand.size === output.size) return operand.data;
  const elements = scratch(name, Float64Array, output.size);
  if (!(operand instanceof Tensor)) {
    elements.fill(Number(operand), 0, output.size);
    return elements;
  }
  const steps = broadcastSteps(output.dims, operand.dims);
  copyStrided(elements, 0, stridesOf(output.dims), operand.data, 0, steps, output.dims);
  return elements;
}

export function mapBroadcast(output, left, right, apply) {
  const a = broadcastElements("left", output, left);
  const b = broadcastElements("right", output, right);
  const to = output.data;
  for (let i = 0; i < output.size; ++i) to[i] = apply(a[i], b[i]);
}
