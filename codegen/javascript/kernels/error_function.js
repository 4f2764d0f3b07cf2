// The error function, its complement, and its inverse.

// W. J. Cody, "Rational Chebyshev approximations for the error function", 1969.
const erfTop = [
  3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3,
  1.85777706184603153e-1,
];
const erfBottom = [
  2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3,
];
const middleTop = [
  5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1, 2.98635138197400131e2,
  8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
  2.15311535474403846e-8,
];
const middleBottom = [
  1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
  3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
];
const farTop = [
  3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1, 1.60837851487422766e-2,
  6.58749161529837803e-4, 1.63153871373020978e-2,
];
const farBottom = [
  2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
  2.33520497626869185e-3,
];

function quotient(top, bottom, lead, y) {
  let above = lead * y;
  let below = y;
  for (let i = 0; i < bottom.length - 1; ++i) {
    above = (above + top[i]) * y;
    below = (below + bottom[i]) * y;
  }
  const last = bottom.length - 1;
  return (above + top[last]) / (below + bottom[last]);
}

function erfcOfLarge(x) {
  if (x > 27) return 0;
  const near = Math.floor(x * 16) / 16; // exp(-x * x) without cancellation
  const scale = Math.exp(-near * near) * Math.exp(-(x - near) * (x + near));
  if (x <= 4) return scale * quotient(middleTop, middleBottom, middleTop[8], x);
  const y = 1 / (x * x);
  return (scale / x) * (0.5641895835477563 - y * quotient(farTop, farBottom, farTop[5], y));
}

export function erf(x) {
  const size = Math.abs(x);
  if (x !== x) return x;
  if (size > 0.46875) return Math.sign(x) * (1 - erfcOfLarge(size));
  return x * quotient(erfTop, erfBottom, erfTop[4], x * x);
}

export function erfc(x) {
  if (x !== x) return x;
  if (Math.abs(x) <= 0.46875) return 1 - erf(x);
  return x > 0 ? erfcOfLarge(x) : 2 - erfcOfLarge(-x);
}
