// The inverse of the error function.
import { erf, erfc } from "./error_function.js";

export function inverseErf(y) {
  const twoByRootPi = 1.1283791670955126;
  const size = Math.abs(y);
  if (!(size <= 1)) return NaN;
  if (size === 1) return y * Infinity;
  const isLarge = size > 0.5; // near 1 the complement has the digits
  const rest = 1 - size;
  let x = (size + 0.2617993877991494 * size * size * size) / twoByRootPi;
  if (isLarge) {
    // Abramowitz and Stegun, 26.2.22
    const t = Math.sqrt(-2 * Math.log(rest / 2));
    x = (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) * 0.7071067811865476;
  }
  for (let step = 0; step < 3; ++step) {
    // Halley's method
    const error = isLarge ? rest - erfc(x) : erf(x) - size;
    const slope = twoByRootPi * Math.exp(-x * x);
    x -= error / (slope + x * error);
  }
  return y < 0 ? -x : x;
}

export function erfinv(output, input) {
  for (let i = 0; i < output.size; ++i) output.data[i] = inverseErf(input.data[i]);
}
