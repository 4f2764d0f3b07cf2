#include "mithril/onnx/runtime_activations.hpp"

#include <span>

namespace mithril::onnx {
namespace {

// sum * x + addend, rounded to float32. A product of two numbers of float32 is exact in float64, so
// this is a fused multiply-add.
Connection fused(const Binding& sum, const Connection& x, float addend) {
  return (x * sum + static_cast<double>(addend)).cast(DType::float32);
}

// A polynomial of a number of float32 in float64. The highest power is first.
Connection polynomial(const Connection& x, std::span<const float> coefficients) {
  Connection sum = fused(static_cast<double>(coefficients[0]), x, coefficients[1]);
  for (const float coefficient : coefficients.subspan(2))
    sum = fused(sum.cast(DType::float64), x, coefficient);
  return sum;
}

// x p(x^2) / q(x^2).
Connection odd_quotient(const Connection& x, std::span<const float> p, std::span<const float> q) {
  const Connection square = (x * x).cast(DType::float64);
  return x * polynomial(square, p) / polynomial(square, q);
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
