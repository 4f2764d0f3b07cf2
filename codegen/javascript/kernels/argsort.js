// The order of the elements along an axis.
import { viewAlong } from "./axes.js";

// NaN is larger than all numbers.
function sortsBefore(a, b) {
  return a < b || (a === a && b !== b);
}

export function argsort(output, input, axis, descending, _count) {
  const { outer, size, inner } = viewAlong(input.dims, axis);
  const kept = viewAlong(output.dims, axis).size;
  const x = input.data;
  for (let row = 0; row < outer * inner; ++row) {
    const [o, i] = [Math.floor(row / inner), row % inner];
    const at = (k) => x[(o * size + k) * inner + i];
    const order = Array.from({ length: size }, (_, k) => k).sort((a, b) => {
      const [left, right] = descending ? [at(b), at(a)] : [at(a), at(b)];
      if (sortsBefore(left, right)) return -1;
      return sortsBefore(right, left) ? 1 : a - b;
    });
    for (let k = 0; k < kept; ++k) output.data[(o * kept + k) * inner + i] = order[k];
  }
}
