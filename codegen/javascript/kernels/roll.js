// Elements shifted along axes; those that leave at one end come back at the other.
import { axisOf, stridesOf } from "./axes.js";

export function roll(output, input, shift, axis) {
  const dims = axis === null ? [input.size] : input.dims;
  const shifts = new Array(dims.length).fill(0);
  const numbers = Array.isArray(shift) ? shift : [shift];
  const axes = axis === null ? [0] : Array.isArray(axis) ? axis : [axis];
  axes.forEach((each, k) => {
    shifts[axisOf(each, dims.length)] = numbers[k];
  });
  const strides = stridesOf(dims);
  for (let i = 0; i < output.size; ++i) {
    let from = 0;
    for (let k = 0; k < dims.length; ++k) {
      const place = Math.floor(i / strides[k]) % dims[k];
      from += ((((place - shifts[k]) % dims[k]) + dims[k]) % dims[k]) * strides[k];
    }
    output.data[i] = input.data[from];
  }
}
