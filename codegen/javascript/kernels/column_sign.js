// Signs of columns of length 1, such as eigenvectors, which are unique up to their sign.

// Whether the first large element is negative. The choice does not depend on rounding.
export function isFlipped(column) {
  const large = 0.6 / Math.sqrt(column.length);
  const first = column.findIndex((element) => Math.abs(element) >= large);
  return column[first < 0 ? column.length - 1 : first] < 0;
}
