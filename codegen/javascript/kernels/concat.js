// Concatenates tensors along an axis.
import { copyRows, rowsAlong } from "./joining.js";

export function concat(output, inputs, axis) {
  const row = rowsAlong(output.dims, axis).size;
  let offset = 0;
  for (const input of inputs) {
    const { outer, size } = rowsAlong(input.dims, axis);
    copyRows(outer, size, output.data, offset, row, input.data, 0, size);
    offset += size;
  }
}
