// The bits of two ints: OR.
import { addFunction } from "./operands.js";

export function bitwise_or(output, left, right) {
  addFunction(output, { a: left, b: right }, "a | b");
}
