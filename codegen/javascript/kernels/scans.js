// Running results along an axis.
import { viewAlong } from "./axes.js";

// Calls step(at, first) for the elements of each row in order: their index, and whether one begins.
export function eachInOrder(dims, axis, reverse, step) {
  const { outer, size, inner } = viewAlong(dims, axis);
  for (let row = 0; row < outer * inner; ++row) {
    const first = Math.floor(row / inner) * size * inner + (row % inner);
    for (let k = 0; k < size; ++k) step(first + (reverse ? size - 1 - k : k) * inner, k === 0);
  }
}
