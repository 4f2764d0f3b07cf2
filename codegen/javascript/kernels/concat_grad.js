// The gradient of concat for one input.
import { copyRows, rowsAlong } from "./joining.js";

// Part number `part` of the concatenation of tensors with the shapes of `like`.
export function concat_grad(output, input, like, axis, part) {
  const sizes = like.map((tensor) => rowsAlong(tensor.dims, axis).size);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const { outer, size } = rowsAlong(output.dims, axis);
  copyRows(outer, size, output.data, 0, size, input.data, sum(sizes.slice(0, part)), sum(sizes));
}
