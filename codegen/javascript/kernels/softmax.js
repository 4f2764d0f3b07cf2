// Softmax along an axis: exp(x) divided by its sum.
import { viewAlong } from "./axes.js";
import { softmaxRows } from "./softmax_rows.js";

export function softmax(output, input, axis) {
  softmaxRows(output, input, viewAlong(input.dims, axis), false);
}
