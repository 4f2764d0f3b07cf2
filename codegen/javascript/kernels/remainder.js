// Remainders of floored divisions.
import { mapBroadcast } from "./operands.js";
import { fail, holdsInts } from "./tensor.js";

// As in Python: the sign is that of b.
export function remainder(output, numerator, denominator) {
  const isWhole = holdsInts(output);
  mapBroadcast(output, numerator, denominator, (a, b) => {
    if (isWhole && b === 0) fail("remainder: an int is divided by zero");
    const rest = a % b;
    if (rest === 0) return b < 0 && !isWhole ? -0 : 0;
    return rest < 0 !== b < 0 ? rest + b : rest;
  });
}
