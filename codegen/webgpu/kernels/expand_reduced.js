// Repeats the result of a reduction.
import { addElements } from "./elements.js";
import { axisOf, indexText, stridesOf } from "./indices.js";

// With a correction, divides by the number of reduced elements minus the correction.
export function expand_reduced(output, input, _like, axis, _keepdim, correction) {
  const { dims } = output;
  const chosen = axis === null ? dims.map((_, place) => place) : [axis].flat();
  const axes = new Set(chosen.map((each) => axisOf(each, dims.length)));
  const kept = dims.map((dim, place) => (axes.has(place) ? 1 : dim));
  const steps = stridesOf(kept).map((step, place) => (axes.has(place) ? 0 : step));
  const count = dims.reduce((product, dim, place) => (axes.has(place) ? product * dim : product), 1);
  const scale = correction === null ? "" : ` / ${output.type}(${Math.max(count - correction, 0)})`;
  const from = indexText("element", dims, steps);
  addElements({ output }, { input }, `    output[element] = input[${from}]${scale};\n`);
}
