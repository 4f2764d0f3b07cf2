// Means.
import { Reduction, reducedAxes } from "./reduction.js";

export function mean(output, input, axis, _keepdim) {
  const along = new Reduction(input.dims, reducedAxes(input.dims.length, axis));
  const totals = along.sums(input.data);
  const to = output.data;
  for (let i = 0; i < along.results; ++i) to[i] = totals[i] / along.count;
}
