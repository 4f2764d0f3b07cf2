// Elements put or reduced into the places of each row that indices choose.
import { eachAlongAxis } from "./along_axis.js";

const scattered = {
  add: (old, x) => old + x,
  prod: (old, x) => old * x,
  amax: (old, x) => (x > old || x !== x ? x : old),
  amin: (old, x) => (x < old || x !== x ? x : old),
};

export function scatter(output, input, index, source, axis, reduce) {
  const combine = scattered[reduce] ?? ((_, x) => x);
  output.data.set(input.data);
  eachAlongAxis(output.dims, index, axis, (i, at) => {
    output.data[at] = combine(output.data[at], source.data[i]);
  });
}
