// Derivatives of the logarithm of the gamma function.

function digamma(x) {
  if (x === 0) return Object.is(x, 0) ? -Infinity : Infinity;
  if (x < 0) {
    const fraction = x - Math.floor(x);
    if (fraction === 0) return NaN;
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * fraction);
  }
  let before = 0;
  let at = x;
  for (; at < 10; ++at) before -= 1 / at;
  // The asymptotic series (Abramowitz and Stegun, 6.3.18).
  const coefficients = [1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12];
  let series = 0;
  for (const coefficient of coefficients) series = (series + coefficient) / (at * at);
  return before + Math.log(at) - 0.5 / at - series;
}

// The sum of (x + k)^-s for k = 0, 1, ..., for x > 0.
function hurwitzZeta(s, x) {
  let sum = 0;
  let at = x;
  for (let k = 0; k < 12; ++k, ++at) sum += Math.pow(at, -s);
  // The rest, by the Euler-Maclaurin formula. Ratios of Bernoulli numbers and factorials.
  const coefficients = [
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
  ];
  const power = Math.pow(at, -s);
  sum += (power * at) / (s - 1) + power / 2;
  let factor = (power * s) / at;
  for (let j = 0; j < 8; ++j) {
    sum += coefficients[j] * factor;
    factor *= ((s + 2 * j + 1) * (s + 2 * j + 2)) / (at * at);
  }
  return sum;
}

// Derivative number order + 1 of log(gamma(x)).
function polygammaOf(order, x) {
  if (order === 0) return digamma(x);
  const isOdd = order % 2 !== 0;
  let factorial = 1;
  for (let i = 2; i <= order; ++i) factorial *= i;
  let sum = Infinity;
  const fraction = x - Math.floor(x);
  if (x > 0) {
    sum = hurwitzZeta(order + 1, x);
  } else if (fraction !== 0) {
    // The terms below 0 are a difference of two sums above 0.
    const below = hurwitzZeta(order + 1, 1 - fraction) - hurwitzZeta(order + 1, 1 - x);
    sum = hurwitzZeta(order + 1, fraction) + (isOdd ? below : -below);
  }
  return (isOdd ? 1 : -1) * factorial * sum;
}

export function polygamma(output, input, order) {
  for (let i = 0; i < output.size; ++i) output.data[i] = polygammaOf(order, input.data[i]);
}
