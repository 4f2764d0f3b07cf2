// The threshold below which robust functions continue as a straight line.

// The default is the smallest normal number.
export function robustThreshold(threshold, output) {
  if (threshold !== null) return threshold;
  return output.data instanceof Float64Array ? 2 ** -1022 : 2 ** -126;
}
