// The logarithm of softmax.
import { addSoftmax } from "./softmax_rows.js";

export function log_softmax(output, input, axis) {
  addSoftmax(output, input, axis, "x - top - log(sum)");
}
