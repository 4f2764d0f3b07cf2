// Pads a tensor.
import { stridesOf } from "./axes.js";
import { copyStrided } from "./strided.js";

// `widths`: a pair (before, after) for each axis; negative widths remove elements.
export function pad(output, input, widths, filler) {
  const fromSteps = stridesOf(input.dims);
  const toSteps = stridesOf(output.dims);
  let from = 0;
  let to = 0;
  const rest = output.dims.map((dim, axis) => {
    const [before] = widths[axis];
    const first = Math.max(before, 0);
    from += (first - before) * fromSteps[axis];
    to += first * toSteps[axis];
    return Math.max(Math.min(before + input.dims[axis], dim) - first, 0);
  });
  output.data.fill(Number(filler));
  copyStrided(output.data, to, toSteps, input.data, from, fromSteps, rest);
}
