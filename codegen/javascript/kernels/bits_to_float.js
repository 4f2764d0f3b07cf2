// The floats that have the bits of ints.
import { Int64Elements } from "./tensor.js";

export function bits_to_float(output, input, _dtype) {
  if (!(input.data instanceof Int64Elements)) {
    const { buffer, byteOffset } = input.data;
    output.data.set(new output.data.constructor(buffer, byteOffset, input.size));
    return;
  }
  const bits = new BigInt64Array(output.data.buffer, output.data.byteOffset, output.size);
  for (let i = 0; i < output.size; ++i) bits[i] = BigInt(input.data[i]);
}
