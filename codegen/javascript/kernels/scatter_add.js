// Adds elements at the indices from which gather takes them.
import { viewAlong } from "./axes.js";
import { eachGathered } from "./gathering.js";

export function scatter_add(output, input, index, _like, axis) {
  const view = viewAlong(output.dims, axis);
  const { inner } = view;
  output.data.fill(0);
  eachGathered(view, index, (row, at) => {
    for (let i = 0; i < inner; ++i) output.data[at + i] += input.data[row * inner + i];
  });
}
