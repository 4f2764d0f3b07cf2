// Functions that WGSL lacks.

// Constants may not be infinite or NaN in WGSL, so they are made of bits that compilers do not see.
const wgslFunctions = {
  infinity: `var<private> bits_of_infinity: u32 = 0x7f800000u;
fn infinity() -> f32 { return bitcast<f32>(bits_of_infinity); }`,
  not_a_number: `var<private> bits_of_nan: u32 = 0x7fc00000u;
fn not_a_number() -> f32 { return bitcast<f32>(bits_of_nan); }`,
  is_nan: `fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }`,
  larger_of: `fn larger_of(a: f32, b: f32) -> f32 { return select(a, b, a < b); }`,
  smaller_of: `fn smaller_of(a: f32, b: f32) -> f32 { return select(a, b, b < a); }`,
  // Some drivers overflow in tanh of large numbers.
  tanh_of: `fn tanh_of(x: f32) -> f32 {
    if (abs(x) < 0.3f) {
      let s = x * x;
      return x + x * s * (-0.33333333f + s * (0.13333333f + s * (-0.053968254f +
          s * (0.021869488f - s * 0.0088632355f))));
    }
    return tanh(clamp(x, -10f, 10f));
}`,
  // A rational approximation, as in XLA and Eigen.
  erf_of: `fn erf_of(number: f32) -> f32 {
    let x = clamp(number, -4f, 4f);
    let s = x * x;
    let a = ((((((-2.72614225801306e-10f * s + 2.77068142495902e-08f) * s -
        2.10102402082508e-06f) * s - 5.69250639462346e-05f) * s - 7.34990630326855e-04f) * s -
        2.95459980854025e-03f) * s - 1.60960333262415e-02f) * x;
    let b = (((-1.45660718464996e-05f * s - 2.13374055278905e-04f) * s -
        1.68282697438203e-03f) * s - 7.37332916720468e-03f) * s - 1.42647390514189e-02f;
    return a / b;
}`,
  // Reduced to an eighth of a turn, because drivers have only a few digits.
  quarter_turns: `fn quarter_turns(x: f32) -> f32 { return round(x * 0.63661977f); }`,
  sin_near_zero: `fn sin_near_zero(x: f32) -> f32 {
    let s = x * x;
    return x + x * s * (-0.16666655f + s * (0.0083321608f - s * 0.00019515296f));
}`,
  cos_near_zero: `fn cos_near_zero(x: f32) -> f32 {
    let s = x * x;
    return 1f - 0.5f * s + s * s * (0.041666646f + s * (-0.0013887316f + s * 0.000024433157f));
}`,
  sine_after: `fn sine_after(x: f32, added: i32) -> f32 {
    let turns = quarter_turns(x);
    let rest = ((x - turns * 1.5703125f) - turns * 0.00048375130f) - turns * 7.5497900e-8f;
    let quarter = (i32(turns % 4f) + added) & 3i;
    let value = select(sin_near_zero(rest), cos_near_zero(rest), (quarter & 1i) == 1i);
    return select(value, -value, quarter > 1i);
}`,
  sin_of: `fn sin_of(x: f32) -> f32 { return sine_after(x, 0i); }`,
  cos_of: `fn cos_of(x: f32) -> f32 { return sine_after(x, 1i); }`,
  expm1_of: `fn expm1_of(x: f32) -> f32 {
    if (abs(x) > 0.5f) { return exp(x) - 1f; }
    return x + x * x * (0.5f + x * (0.16666667f + x * (0.041666668f + x * (0.0083333338f +
        x * (0.0013888889f + x * (0.00019841270f + x * 0.000024801588f))))));
}`,
  log1p_of: `fn log1p_of(x: f32) -> f32 {
    if (abs(x) > 0.1f) { return log(1f + x); }
    let r = x / (2f + x);
    let s = r * r;
    return 2f * r * (1f + s * (0.33333333f + s * (0.2f + s * 0.14285715f)));
}`,
  power_of: `fn power_of(base: f32, exponent: f32) -> f32 {
    if (exponent == 0f || base == 1f) { return 1f; }
    if (exponent == 1f) { return base; }
    if (exponent == 2f) { return base * base; }
    let size = abs(base);
    if (size == 0f && exponent > 0f) {
      return select(0f, base, abs(exponent % 2f) == 1f);
    }
    let power = pow(size, exponent);
    if (base >= 0f) { return power; }
    if (trunc(exponent) != exponent) { return not_a_number(); }
    return select(power, -power, abs(exponent % 2f) == 1f);
}`,
  // The remainder has the sign of b, as in Python.
  floored_rest: `fn floored_rest(a: f32, b: f32) -> f32 {
    let rest = a % b;
    return rest + select(0f, b, rest != 0f && (rest < 0f) != (b < 0f));
}`,
  // Rounds towards zero; NaN and numbers out of range give the smallest int.
  int_of: `fn int_of(x: f32) -> i32 {
    if (x >= -2147483648f && x < 2147483648f) { return i32(x); }
    return -2147483648i;
}`,
  // All bits are shifted out if the shift is negative, or at least the width.
  shifted_left: `fn shifted_left(a: i32, shift: i32) -> i32 {
    if (shift < 0i || shift > 31i) { return 0i; }
    return a << u32(shift);
}`,
  shifted_right: `fn shifted_right(a: i32, shift: i32) -> i32 {
    if (shift < 0i || shift > 31i) { return select(0i, -1i, a < 0i); }
    return a >> u32(shift);
}`,
  whole_power: `fn whole_power(base: i32, exponent: i32) -> i32 {
    if (exponent < 0i) {
      if (base == -1i) { return select(-1i, 1i, (exponent & 1i) == 0i); }
      return select(0i, 1i, base == 1i);
    }
    var result = 1i;
    var square = base;
    for (var rest = exponent; rest > 0i; rest >>= 1u) {
      if ((rest & 1i) == 1i) { result *= square; }
      square *= square;
    }
    return result;
}`,
};

// The code behind the functions that it calls.
export function withFunctions(code) {
  const used = new Set();
  const add = (text) => {
    for (const [name, body] of Object.entries(wgslFunctions)) {
      if (used.has(name) || !new RegExp(`\\b${name}\\(`).test(text)) continue;
      used.add(name);
      add(body);
    }
  };
  add(code);
  return [...used].map((name) => `${wgslFunctions[name]}\n`).join("") + code;
}

// A number as a literal of this type.
export function literal(value, type) {
  const number = Number(value);
  if (type === "u32") return number ? "1u" : "0u";
  if (type === "i32") return `i32(${Math.trunc(number)})`;
  if (Number.isNaN(number)) return "not_a_number()";
  const largest = 3.4028234663852886e38;
  if (Math.abs(number) > largest) return number < 0 ? "(-infinity())" : "infinity()";
  return `f32(${Math.fround(number)})`;
}
