// Samples with a class each; the second axis holds the classes.
import { viewAlong } from "./axes.js";
import { fail } from "./tensor.js";

// Calls body(sample, at) with the index of the class of each sample.
export function eachClass(dims, index, body) {
  const { size, inner } = viewAlong(dims, 1);
  for (let sample = 0; sample < index.size; ++sample) {
    const chosen = index.data[sample];
    if (!(chosen >= 0 && chosen < size)) fail("a class is out of range");
    body(sample, (Math.floor(sample / inner) * size + chosen) * inner + (sample % inner));
  }
}
