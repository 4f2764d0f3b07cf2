// The gradient of slice.
import { stridesOf } from "./axes.js";
import { sliceOf } from "./slicing.js";
import { copyStrided } from "./strided.js";

export function slice_grad(output, input, _like, starts, stops, steps, axes) {
  const part = sliceOf(output.dims, starts, stops, steps, axes);
  output.data.fill(0);
  copyStrided(
    output.data, part.start, part.steps, input.data, 0, stridesOf(part.counts), part.counts,
  );
}
