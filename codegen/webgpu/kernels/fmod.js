// Remainders of divisions towards zero.
import { addDivision } from "./operands.js";

export function fmod(output, numerator, denominator) {
  addDivision(output, numerator, denominator, { name: "fmod", floats: "a % b", ints: "rest" });
}
