// The bits of two ints: XOR.
import { addFunction } from "./operands.js";

export function bitwise_xor(output, left, right) {
  addFunction(output, { a: left, b: right }, "a ^ b");
}
