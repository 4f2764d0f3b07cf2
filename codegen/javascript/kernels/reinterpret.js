// The bits of floats as ints, and of ints as floats.
import { fail, Int64Elements } from "./tensor.js";

export function reinterpret(output, input, _dtype) {
  const { buffer, byteOffset } = input.data;
  if (output.data instanceof Int64Elements) {
    const bits = new BigInt64Array(buffer, byteOffset, input.size);
    for (let i = 0; i < output.size; ++i) {
      output.data[i] = Number(bits[i]);
      if (BigInt(output.data[i]) !== bits[i])
        fail("reinterpret: these bits are an int that a number of JavaScript does not hold");
    }
  } else if (input.data instanceof Int64Elements) {
    const bits = new BigInt64Array(output.data.buffer, output.data.byteOffset, output.size);
    for (let i = 0; i < output.size; ++i) bits[i] = BigInt(input.data[i]);
  } else {
    output.data.set(new output.data.constructor(buffer, byteOffset, input.size));
  }
}
