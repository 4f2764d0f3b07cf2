// Remainders of divisions towards zero.
import { mapBroadcast } from "./operands.js";
import { fail, holdsInts } from "./tensor.js";

export function fmod(output, numerator, denominator) {
  const isWhole = holdsInts(output);
  mapBroadcast(output, numerator, denominator, (a, b) => {
    if (isWhole && b === 0) fail("fmod: an int is divided by zero");
    return isWhole ? (a % b) + 0 : a % b; // ints have no -0
  });
}
