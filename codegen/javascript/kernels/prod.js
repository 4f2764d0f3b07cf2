// Products of elements.
import { Reduction, reducedAxes } from "./reduction.js";
import { scratch } from "./scratch.js";

export function prod(output, input, axis, _keepdim) {
  const along = new Reduction(input.dims, reducedAxes(input.dims.length, axis));
  const totals = scratch("products", Float64Array, along.results);
  totals.fill(1, 0, along.results);
  const x = input.data;
  along.eachRow((from, to) => {
    for (let i = 0; i < along.length; ++i) totals[to + i * along.step] *= x[from + i];
  });
  for (let i = 0; i < along.results; ++i) output.data[i] = totals[i];
}
