// Powers of |base|; below a threshold a straight line where the power would be steeper.
import { mapBroadcast } from "./operands.js";
import { whole_power } from "./numbers.js";
import { robustThreshold } from "./robust.js";
import { holdsInts } from "./tensor.js";

export function power(output, base, exponent, _robust, threshold) {
  if (holdsInts(output)) {
    mapBroadcast(output, base, exponent, whole_power);
    return;
  }
  const least = robustThreshold(threshold, output);
  mapBroadcast(output, base, exponent, (signed, e) => {
    const b = Math.abs(signed);
    const isSteep = e < 1 - Math.log(least) / Math.log(b);
    return b < least && isSteep ? b / least : Math.pow(b, e);
  });
}
