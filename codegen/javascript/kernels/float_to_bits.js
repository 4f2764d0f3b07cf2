// The bits of floats as ints.
import { fail, Int64Elements } from "./tensor.js";

export function float_to_bits(output, input, _dtype) {
  const { buffer, byteOffset } = input.data;
  if (!(output.data instanceof Int64Elements)) {
    output.data.set(new output.data.constructor(buffer, byteOffset, input.size));
    return;
  }
  const bits = new BigInt64Array(buffer, byteOffset, input.size);
  for (let i = 0; i < output.size; ++i) {
    output.data[i] = Number(bits[i]);
    if (BigInt(output.data[i]) !== bits[i])
      fail("float_to_bits: these bits are an int that a number of JavaScript does not hold");
  }
}
