// Softmax along an axis: exp(x) divided by its sum.
import { addSoftmax } from "./softmax_rows.js";

export function softmax(output, input, axis) {
  addSoftmax(output, input, axis, "exp(x - top) / sum");
}
