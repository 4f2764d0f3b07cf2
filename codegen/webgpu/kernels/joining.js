// Tensors as rows along an axis, for concatenating and splitting.
import { axisOf, product } from "./indices.js";

// The size of a row: the elements from the axis on, or all without an axis.
export function rowsAlong(dims, axis) {
  return product(dims, axis === null ? 0 : axisOf(axis, dims.length));
}
