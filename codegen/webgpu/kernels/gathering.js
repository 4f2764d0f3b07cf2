// Elements that are chosen by index.
import { addElements } from "./elements.js";
import { GpuTensor } from "./program.js";

// Computes output[element] = input[from], where the shader `places` declares `at`, the place of the
// index, and `from` is an expression of `chosen`, the index from 0 to below `size`. Negative indices
// count from the end if `wraps`.
export function addChoice(output, input, index, { places, size, from, message, wraps = true }) {
  const { flag, number } = output.program.failure(message);
  const isTensor = index instanceof GpuTensor;
  const given = isTensor ? "index[at]" : `i32(${Number(index)})`;
  const low = wraps ? -size : 0;
  addElements({ output, failure: flag }, isTensor ? { input, index } : { input }, `${places}
    let place = ${given};
    if (place < i32(${low}) || place >= ${size}i) {
      failure[0] = ${number}u;
      output[element] = ${output.type}(0);
      return;
    }
    let chosen = u32(select(place, place + ${size}i, place < 0i));
    output[element] = input[${from}];
`);
}
