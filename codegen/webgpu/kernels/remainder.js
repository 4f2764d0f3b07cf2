// Remainders of floored divisions.
import { addDivision } from "./operands.js";

export function remainder(output, numerator, denominator) {
  addDivision(output, numerator, denominator, {
    name: "remainder",
    floats: "floored_rest(a, b)",
    ints: "rest + select(0i, b, rest != 0i && (rest < 0i) != (b < 0i))",
  });
}
