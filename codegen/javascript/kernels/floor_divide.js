// Quotients rounded towards minus infinity.
import { mapBroadcast } from "./operands.js";
import { fail, holdsInts } from "./tensor.js";

// As in Python: exact even if a / b would be rounded up to a whole number.
export function floor_divide(output, numerator, denominator) {
  const isWhole = holdsInts(output);
  mapBroadcast(output, numerator, denominator, (a, b) => {
    if (isWhole && b === 0) fail("floor_divide: an int is divided by zero");
    if (b === 0) return a / b;
    const rest = a % b;
    let quotient = (a - rest) / b;
    if (rest !== 0 && b < 0 !== rest < 0) quotient -= 1;
    if (quotient === 0) return isWhole ? 0 : (a / b) * 0;
    return Math.round(quotient);
  });
}
