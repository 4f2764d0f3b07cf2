// Elements that are chosen along one axis, another one for each row.
import { axisOf, stridesOf } from "./axes.js";
import { eachRow } from "./rows.js";
import { fail } from "./tensor.js";

// Calls body(i, at) for each element i of the index: it chooses element `at` of a tensor of dims
// `whole`.
export function eachAlongAxis(whole, index, axis, body) {
  const along = axisOf(axis, whole.length);
  const steps = stridesOf(whole);
  const step = steps[along];
  const size = whole[along];
  steps[along] = 0;
  const length = index.dims[whole.length - 1];
  if (index.size === 0) return;
  eachRow(index.dims, steps, (first, other) => {
    for (let i = 0; i < length; ++i) {
      const chosen = index.data[first + i];
      if (!(chosen >= -size && chosen < size)) fail("an index is out of range");
      const at = other + i * steps[whole.length - 1];
      body(first + i, at + (chosen < 0 ? chosen + size : chosen) * step);
    }
  });
}
