// The bits of two ints: AND.
import { addFunction } from "./operands.js";

export function bitwise_and(output, left, right) {
  addFunction(output, { a: left, b: right }, "a & b");
}
