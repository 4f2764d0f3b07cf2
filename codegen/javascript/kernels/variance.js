// Variances.
import { Reduction, reducedAxes } from "./reduction.js";
import { scratch } from "./scratch.js";

// sum((x - mean)^2) / max(n - correction, 0)
export function variance(output, input, axis, _keepdim, correction) {
  const along = new Reduction(input.dims, reducedAxes(input.dims.length, axis));
  const totals = along.sums(input.data);
  const squares = scratch("squares", Float64Array, along.results);
  squares.fill(0, 0, along.results);
  const x = input.data;
  along.eachRow((from, to) => {
    for (let i = 0; i < along.length; ++i) {
      const distance = x[from + i] - totals[to + i * along.step] / along.count;
      squares[to + i * along.step] += distance * distance;
    }
  });
  const divisor = Math.max(along.count - correction, 0);
  for (let i = 0; i < along.results; ++i) output.data[i] = squares[i] / divisor;
}
