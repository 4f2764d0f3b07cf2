// Elements shifted along axes; those that leave at one end come back at the other.
import { addElements } from "./elements.js";
import { axisOf, stridesOf } from "./indices.js";

export function roll(output, input, shift, axis) {
  const dims = axis === null ? [input.size] : input.dims;
  const shifts = new Array(dims.length).fill(0);
  const numbers = Array.isArray(shift) ? shift : [shift];
  const axes = axis === null ? [0] : Array.isArray(axis) ? axis : [axis];
  axes.forEach((each, k) => {
    shifts[axisOf(each, dims.length)] = numbers[k];
  });
  const strides = stridesOf(dims);
  const terms = dims.map((dim, k) => {
    const by = dim === 0 ? 0 : ((-shifts[k] % dim) + dim) % dim;
    return `(element / ${strides[k]}u + ${by}u) % ${dim}u * ${strides[k]}u`;
  });
  const from = terms.join(" + ") || "0u";
  addElements({ output }, { input }, `    output[element] = input[${from}];\n`);
}
