// Tensors as rows along an axis, for concatenating and splitting.
import { axisOf, product } from "./axes.js";

// The whole tensor as `outer` rows of `size` elements; one row without an axis.
export function rowsAlong(dims, axis) {
  if (axis === null) return { outer: 1, size: product(dims, 0, dims.length) };
  const place = axisOf(axis, dims.length);
  return { outer: product(dims, 0, place), size: product(dims, place, dims.length) };
}

// Copies `outer` rows of `size` elements.
export function copyRows(outer, size, to, toStart, toStep, from, fromStart, fromStep) {
  for (let o = 0; o < outer; ++o) {
    for (let i = 0; i < size; ++i) to[toStart + o * toStep + i] = from[fromStart + o * fromStep + i];
  }
}
