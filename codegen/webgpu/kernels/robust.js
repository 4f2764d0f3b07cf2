// The threshold below which robust functions continue as a straight line.

// The default is the smallest normal number.
export function robustThreshold(threshold) {
  return threshold === null ? 2 ** -126 : threshold;
}
