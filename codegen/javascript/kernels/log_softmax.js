// The logarithm of softmax.
import { viewAlong } from "./axes.js";
import { softmaxRows } from "./softmax_rows.js";

export function log_softmax(output, input, axis) {
  softmaxRows(output, input, viewAlong(input.dims, axis), true);
}
