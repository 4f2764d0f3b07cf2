// Sums over broadcast axes.
import { addReduction } from "./reduction.js";

export function sum_to(output, input, _like) {
  const lead = input.dims.length - output.dims.length;
  const axes = input.dims.flatMap((dim, axis) => {
    const own = axis - lead;
    return own < 0 || (output.dims[own] === 1 && dim !== 1) ? [axis] : [];
  });
  addReduction(output, input, axes, { start: "0", combine: "a + b" });
}
