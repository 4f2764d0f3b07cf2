// The largest and the smallest element.
import { viewAlong } from "./axes.js";
import { Reduction, reducedAxes } from "./reduction.js";
import { scratch } from "./scratch.js";
import { fail } from "./tensor.js";

// For each result the index of the best element; `sign` is 1 for the largest, -1 for the smallest.
// NaN wins over all numbers, and the first of equal elements stays.
export function bestPlaces(input, axis, sign) {
  const along = new Reduction(input.dims, reducedAxes(input.dims.length, axis));
  if (along.count === 0 && along.results > 0) fail("there is no element to choose from");
  const best = scratch("places", Int32Array, along.results);
  best.fill(-1, 0, along.results);
  const x = input.data;
  along.eachRow((from, to) => {
    for (let i = 0; i < along.length; ++i) {
      const at = to + i * along.step;
      const found = x[from + i];
      const old = best[at] < 0 ? undefined : x[best[at]];
      if (old === undefined || (old === old && (found !== found || sign * found > sign * old)))
        best[at] = from + i;
    }
  });
  return best;
}

export function choose(output, input, axis, sign) {
  const best = bestPlaces(input, axis, sign);
  for (let i = 0; i < output.size; ++i) output.data[i] = input.data[best[i]];
}

// The index along the axis, or in the whole input.
export function chooseIndex(output, input, axis, sign) {
  const best = bestPlaces(input, axis, sign);
  const view = axis === null ? { inner: 1, size: input.size } : viewAlong(input.dims, axis);
  for (let i = 0; i < output.size; ++i)
    output.data[i] = Math.floor(best[i] / view.inner) % view.size;
}
