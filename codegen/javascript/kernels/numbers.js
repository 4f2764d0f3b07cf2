// Functions of one or two numbers that JavaScript lacks.

// Rounds halves to the even neighbour.
export function rint(x) {
  const near = Math.round(x);
  return Math.abs(x % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

// The second operand wins only if it is larger, or smaller.
export function larger(a, b) {
  return a < b ? b : a;
}
export function smaller(a, b) {
  return b < a ? b : a;
}

// 1 to any power is 1, and so is -1 to an infinite one.
export function power_of(base, exponent) {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return Math.pow(base, exponent);
}

// Rounds towards zero; NaN and values out of range give the smallest int.
export function to_int32(x) {
  return x > -2147483649 && x < 2147483648 ? Math.trunc(x) : -2147483648;
}
export function to_int64(x) {
  return x >= -(2 ** 63) && x < 2 ** 63 ? Math.trunc(x) : -(2 ** 63);
}

// All bits are shifted out if the shift is negative, or at least the width.
export function shifted_left(a, shift) {
  return shift < 0 || shift > 31 ? 0 : a << shift;
}
export function shifted_right(a, shift) {
  return shift < 0 || shift > 31 ? (a < 0 ? -1 : 0) : a >> shift;
}

// The same for ints of 64 bits. Scaling doubles by powers of two is exact. So is the result modulo
// 2^64: bits are only cut off by shifts of at least 10, which leave at most 53 others.
export function long_shifted_left(a, shift) {
  if (shift < 0 || shift > 63) return 0;
  const whole = a * 2 ** shift;
  if (whole >= -(2 ** 63) && whole < 2 ** 63) return whole;
  const rest = whole - Math.floor(whole / 2 ** 64) * 2 ** 64;
  return rest < 2 ** 63 ? rest : rest - 2 ** 64;
}
export function long_shifted_right(a, shift) {
  return shift < 0 || shift > 63 ? (a < 0 ? -1 : 0) : Math.floor(a / 2 ** shift);
}

// Powers of ints, exact up to 2^53. Results for negative exponents are rounded towards zero; 0 to a
// negative power is 0.
export function whole_power(base, exponent) {
  if (exponent < 0 && base === -1) return exponent % 2 === 0 ? 1 : -1;
  if (exponent < 0) return base === 1 ? 1 : 0;
  let result = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}
