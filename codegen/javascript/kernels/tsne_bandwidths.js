// The bandwidths of Gaussians over distances that have a given perplexity.
import { Tensor } from "./tensor.js";

// The probability that point i picks each other point, from the squared distances of point i.
function neighbours(squares, i, nearest, sigma) {
  const result = squares.map((square, j) =>
    j === i ? 0 : Math.exp((nearest - square) / (2 * sigma * sigma)),
  );
  const sum = result.reduce((total, probability) => total + probability, 0);
  return result.map((probability) => probability / sum);
}

// The perplexity of a row of probabilities, clamped to [threshold, 1 - threshold].
function perplexityOf(probabilities, threshold) {
  let entropy = 0;
  for (const probability of probabilities) {
    const p = Math.min(Math.max(probability, threshold), 1 - threshold);
    entropy -= p * Math.log2(p);
  }
  return 2 ** entropy;
}

// Finds the bandwidth by bisection.
function bandwidthOf(squares, i, nearest, perplexity, threshold) {
  let [lower, upper] = [1e-19, 1001];
  while (true) {
    const middle = lower + (upper - lower) / 2;
    if (middle === lower || middle === upper) return middle;
    const reached = perplexityOf(neighbours(squares, i, nearest, middle), threshold);
    if (reached === perplexity) return middle;
    if (reached > perplexity) upper = middle;
    else lower = middle;
  }
}

export function tsne_bandwidths(widths, nearest, squaredDistances, perplexity, threshold) {
  const count = squaredDistances.dims[0];
  const target = perplexity instanceof Tensor ? perplexity.data[0] : perplexity;
  const least = threshold === null ? Number.EPSILON : threshold;
  for (let i = 0; i < count; ++i) {
    const squares = Float64Array.from(squaredDistances.data.subarray(i * count, (i + 1) * count));
    const first = squares.reduce((old, square, j) => (j === i ? old : Math.min(old, square)), Infinity);
    widths.data[i] = bandwidthOf(squares, i, first, target, least);
    nearest.data[i] = first;
  }
}
