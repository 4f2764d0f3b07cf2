// For each element the product of the others.
import { Reduction, reducedAxes } from "./reduction.js";

export function prod_of_others(output, input, axis) {
  const along = new Reduction(input.dims, reducedAxes(input.dims.length, axis));
  const groups = Array.from({ length: along.results }, () => []);
  along.eachRow((from, to) => {
    for (let i = 0; i < along.length; ++i) groups[to + i * along.step].push(from + i);
  });
  for (const group of groups) {
    for (const own of group) {
      let total = 1;
      for (const other of group) if (other !== own) total *= input.data[other];
      output.data[own] = total;
    }
  }
}
