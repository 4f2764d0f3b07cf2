// The bits of two ints: XOR.
import { mapBits } from "./bits.js";

export function bitwise_xor(output, left, right) {
  mapBits(output, left, right, (a, b) => a ^ b);
}
