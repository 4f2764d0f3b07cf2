// The logarithm of the absolute value of the gamma function.

// The coefficients of Lanczos's approximation for g = 7.
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

export function lgamma(x) {
  if (x < 0.5) {
    const sine = Math.abs(Math.sin(Math.PI * (x % 2)));
    return x === Math.floor(x) ? Infinity : Math.log(Math.PI / sine) - lgamma(1 - x);
  }
  if (x === 1 || x === 2) return 0;
  if (x === Infinity) return x;
  let sum = lanczos[0];
  for (let i = 1; i < lanczos.length; ++i) sum += lanczos[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.9189385332046727 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
