// Splits a tensor along an axis.
import { copyRows, rowsAlong } from "./joining.js";

export function split(outputs, input, _sizes, axis) {
  const row = rowsAlong(input.dims, axis).size;
  let offset = 0;
  for (const output of outputs) {
    const { outer, size } = rowsAlong(output.dims, axis);
    copyRows(outer, size, output.data, 0, size, input.data, offset, row);
    offset += size;
  }
}
