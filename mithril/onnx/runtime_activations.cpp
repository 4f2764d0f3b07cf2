#include "mithril/onnx/runtime_activations.hpp"

#include <span>

namespace mithril::onnx {
namespace {

// The nearest number of float32, of a float64: Dekker's splitting.
Connection rounded_to_float32(const Connection& x) {
  const Connection large = x * 536870913.0;  // 2^29 + 1
  return large - (large - x);
}

// A polynomial in float64 whose steps are rounded to float32, the highest power first. A product of
// two numbers of float32 is exact in float64, so a step is a fused multiply-add.
Connection polynomial(const Connection& x, std::span<const float> coefficients) {
  Connection sum = rounded_to_float32(x * static_cast<double>(coefficients[0]) +
                                      static_cast<double>(coefficients[1]));
  for (const float coefficient : coefficients.subspan(2))
    sum = rounded_to_float32(sum * x + static_cast<double>(coefficient));
  return sum;
}

// x p(x^2) / q(x^2).
Connection odd_quotient(const Connection& x, std::span<const float> p, std::span<const float> q) {
  const Connection square = (x * x).cast(DType::float64);
  const Connection above = rounded_to_float32(polynomial(square, p) * x.cast(DType::float64));
  return (above / polynomial(square, q)).cast(DType::float32);
}

}  // namespace

Connection runtime_sigmoid(const Connection& x) {
  constexpr float p[] = {4.37031012579801e-11F, 1.15627324459942e-07F, 6.08574864600143e-05F,
                         8.51377133304701e-03F, 2.48287947061529e-01F};
  constexpr float q[] = {6.10247389755681e-13F, 5.76102136993427e-09F, 6.29106785017040e-06F,
                         1.70198817374094e-03F, 1.16817656904453e-01F, 9.93151921023180e-01F};
  return apply("maximum", {odd_quotient(x.clamp(-18.0, 18.0), p, q) + 0.5, 0.0});
}

Connection runtime_tanh(const Connection& x) {
  constexpr float p[] = {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F,
                         5.12229709037114e-08F,  1.48572235717979e-05F, 6.37261928875436e-04F,
                         4.89352455891786e-03F};
  constexpr float q[] = {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F,
                         4.89352518554385e-03F};
  return odd_quotient(x.clamp(-9.0, 9.0), p, q);
}

}  // namespace mithril::onnx
