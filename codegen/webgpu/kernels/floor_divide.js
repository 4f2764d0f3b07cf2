// Quotients rounded towards minus infinity.
import { addDivision } from "./operands.js";

export function floor_divide(output, numerator, denominator) {
  addDivision(output, numerator, denominator, {
    name: "floor_divide",
    floats: "select(round((a - floored_rest(a, b)) / b), a / b, b == 0f)",
    ints: "(a - rest) / b - select(0i, 1i, rest != 0i && (rest < 0i) != (b < 0i))",
  });
}
