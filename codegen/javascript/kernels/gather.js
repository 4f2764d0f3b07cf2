// Elements along an axis, chosen by index.
import { viewAlong } from "./axes.js";
import { eachGathered } from "./gathering.js";

export function gather(output, input, index, axis) {
  const view = viewAlong(input.dims, axis);
  const { inner } = view;
  eachGathered(view, index, (row, at) => {
    for (let i = 0; i < inner; ++i) output.data[row * inner + i] = input.data[at + i];
  });
}
