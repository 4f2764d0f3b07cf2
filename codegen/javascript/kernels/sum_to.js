// Sums over broadcast axes.
import { Reduction } from "./reduction.js";

export function sum_to(output, input, _like) {
  const { dims } = input;
  const own = output.dims;
  const reduced = dims.map((dim, axis) => {
    const place = axis - (dims.length - own.length);
    return place < 0 || (own[place] === 1 && dim !== 1);
  });
  const along = new Reduction(dims, reduced);
  const totals = along.sums(input.data);
  for (let i = 0; i < output.size; ++i) output.data[i] = totals[i];
}
