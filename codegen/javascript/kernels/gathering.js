// Elements along an axis, chosen by index.
import { fail, Tensor } from "./tensor.js";

// Calls body(row, at): row number `row` of the gathered elements starts at element `at` of the
// input.
export function eachGathered(view, index, body) {
  const chosen = index instanceof Tensor ? index.data : [Number(index)];
  const { outer, size, inner } = view;
  for (let o = 0; o < outer; ++o) {
    for (let k = 0; k < chosen.length; ++k) {
      const place = chosen[k];
      if (!(place >= -size && place < size)) fail("an index is out of range");
      body(o * chosen.length + k, (o * size + (place < 0 ? place + size : place)) * inner);
    }
  }
}
