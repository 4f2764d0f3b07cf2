// Operators on the bits of ints.
import { mapBroadcast } from "./operands.js";
import { Int64Elements } from "./tensor.js";

// `operator` takes two numbers or two BigInts. It cuts numbers to 32 bits, so ints of 64 bits become
// BigInts.
export function mapBits(output, left, right, operator) {
  const isLong = output.data instanceof Int64Elements;
  const ofLong = (a, b) => Number(operator(BigInt(a), BigInt(b)));
  mapBroadcast(output, left, right, isLong ? ofLong : operator);
}
