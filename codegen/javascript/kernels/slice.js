// Slices.
import { stridesOf } from "./axes.js";
import { sliceOf } from "./slicing.js";
import { copyStrided } from "./strided.js";

export function slice(output, input, starts, stops, steps, axes) {
  const part = sliceOf(input.dims, starts, stops, steps, axes);
  copyStrided(
    output.data, 0, stridesOf(part.counts), input.data, part.start, part.steps, part.counts,
  );
}
