// Normalization, and its gradients.
#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {
namespace {

Operand ones_unless(GraphBuilder& b, const Operand& given, DType dtype, const Dim& size) {
  return given.is_missing() ? b.expand(b.number(1.0, dtype), {size}) : given;
}

// A vector with an element for each channel, beside [N, C, ...].
Operand channelwise(GraphBuilder& b, const Operand& vector, std::int64_t rank) {
  if (vector.is_missing() || rank == 2) return vector;
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 1; axis + 1 < rank; ++axis) axes.push_back(axis);
  return b.call("Unsqueeze", {vector, b.integers(axes)});
}

// (x - mean) rstd weight + bias, without those that are missing.
Operand norm_of(GraphBuilder& b, const Operand& distance, const Operand& rstd,
                const Operand& weight, const Operand& bias) {
  Operand made = b.call("Mul", {distance, rstd});
  if (!weight.is_missing()) made = b.call("Mul", {made, weight});
  return bias.is_missing() ? made : b.call("Add", {made, bias});
}

Operand square_of(GraphBuilder& b, const Operand& x, const Operand& like) {
  Operand made = b.call("Mul", {x, x});
  made.dims = like.dims;
  return made;
}

Operand reciprocal_root(GraphBuilder& b, const Operand& variance, double eps) {
  return b.call("Reciprocal",
                {b.call("Sqrt", {b.call("Add", {variance, b.number(eps, variance.dtype)})})});
}

// layer_norm(x, weight, bias, eps): the result, the mean and 1 / deviation of each row. In ONNX the
// latter are floats, also for doubles.
Item layer_norm_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), weight = a.tensor(1), bias = a.tensor(2);
  if (b.opset() >= 17 && x.dtype != DType::float64) {
    const Operand scale = ones_unless(b, weight, x.dtype, x.known_dims().back());
    const std::vector<Operand> made =
        b.call_several("LayerNormalization", {x, scale, bias},
                       {{"axis", std::int64_t{-1}}, {"epsilon", a.value(3).real()}},
                       {x.dtype, DType::float32, DType::float32});
    return {std::vector<Item>{{made[0]}, {made[1]}, {made[2]}}};
  }
  const std::vector<std::int64_t> last = {x.rank() - 1};
  const Operand mean = b.reduce("ReduceMean", x, last, true);
  const Operand distance = b.call("Sub", {x, mean});
  const Operand variance = b.reduce("ReduceMean", square_of(b, distance, x), last, true);
  const Operand rstd = reciprocal_root(b, variance, a.value(3).real());
  return {std::vector<Item>{{norm_of(b, distance, rstd, weight, bias)}, {mean}, {rstd}}};
}

// batch_norm_inference(x, mean, variance, weight, bias, eps). BatchNormalization has a float32 eps.
Item batch_norm_inference_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  if (x.dtype == DType::float64) {
    const auto beside = [&](const Operand& vector) { return channelwise(b, vector, x.rank()); };
    const Operand distance = b.call("Sub", {x, beside(a.tensor(1))});
    const Operand rstd = reciprocal_root(b, a.tensor(2), a.value(5).real());
    return {norm_of(b, distance, beside(rstd), beside(a.tensor(3)), beside(a.tensor(4)))};
  }
  const Dim channels = x.known_dims()[1];
  const Operand scale = ones_unless(b, a.tensor(3), x.dtype, channels);
  const Operand bias = a.is_none(4) ? b.expand(b.number(0.0, x.dtype), {channels}) : a.tensor(4);
  return {b.call("BatchNormalization", {x, scale, bias, a.tensor(1), a.tensor(2)},
                 {{"epsilon", a.value(5).real()}})};
}

std::vector<std::int64_t> axes_of_channels(std::int64_t rank) {
  std::vector<std::int64_t> axes = {0};
  for (std::int64_t axis = 2; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

Dim count_beside(const std::vector<Dim>& dims, const std::vector<std::int64_t>& axes) {
  Dim count = 1;
  for (const std::int64_t axis : axes) count = count * dims[static_cast<std::size_t>(axis)];
  return resolve(count);
}

// batch_norm_training(x, running_mean, running_var, weight, bias, momentum, eps).
Item batch_norm_training_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0);
  const DType dtype = x.dtype;
  const std::int64_t rank = x.rank();
  const auto axes = axes_of_channels(rank);
  const Operand mean = b.reduce("ReduceMean", x, axes, false);
  const Operand distance = b.call("Sub", {x, channelwise(b, mean, rank)});
  const Operand squares = b.reduce("ReduceSum", square_of(b, distance, x), axes, false);
  const Dim size = count_beside(x.known_dims(), axes);
  const Operand count = b.number(size, dtype), one = b.number(1.0, dtype);
  const Operand rstd = reciprocal_root(b, b.call("Div", {squares, count}), a.value(6).real());
  const Operand y = norm_of(b, distance, channelwise(b, rstd, rank),
                            channelwise(b, a.tensor(3), rank), channelwise(b, a.tensor(4), rank));
  const Operand others = b.call("Max", {b.call("Sub", {count, one}), one});
  const Operand unbiased = b.call("Div", {squares, others});
  const double momentum = a.value(5).real();
  const auto moved = [&](const Operand& from, const Operand& to) {
    const Operand made = b.call("Add", {b.call("Mul", {from, b.number(1 - momentum, dtype)}),
                                        b.call("Mul", {to, b.number(momentum, dtype)})});
    if (size.is_constant() && size.constant() > 0) return made;
    const Operand any = b.call("Greater", {count, b.number(0.0, dtype)}, {}, DType::boolean);
    return b.call("Where", {any, made, from}, {}, dtype);
  };
  return {std::vector<Item>{
      {y}, {mean}, {rstd}, {moved(a.tensor(1), mean)}, {moved(a.tensor(2), unbiased)}}};
}

// The gradients in the input, the weight and the bias. `groups`: the axes of a mean, `shared`:
// those of a weight. With `is_fixed` the statistics do not depend on the input.
struct NormGradient {
  Operand grad, x, mean, rstd, weight;
  bool is_fixed = false;
  std::vector<std::int64_t> groups, shared;

  Item write(GraphBuilder& b) const {
    const auto shaped = [&](Operand made) {
      made.dims = x.dims;
      return made;
    };
    const Operand unit = b.call("Mul", {b.call("Sub", {x, mean}), rstd});
    Operand slope = shaped(weight.is_missing() ? grad : b.call("Mul", {grad, weight}));
    const Operand of_weight =
        b.reduce("ReduceSum", shaped(b.call("Mul", {grad, unit})), shared, false);
    const Operand of_bias = b.reduce("ReduceSum", shaped(grad), shared, false);
    if (!is_fixed) {
      const Operand average = b.reduce("ReduceMean", slope, groups, true);
      const Operand product =
          b.reduce("ReduceMean", shaped(b.call("Mul", {slope, unit})), groups, true);
      slope = b.call("Sub", {slope, b.call("Add", {average, b.call("Mul", {product, unit})})});
    }
    return {std::vector<Item>{{b.call("Mul", {slope, rstd})}, {of_weight}, {of_bias}}};
  }
};

// layer_norm_grad(grad, x, mean, rstd, weight).
Item layer_norm_grad_form(const FormContext& c, const FormArguments& a) {
  NormGradient gradient{a.tensor(0), a.tensor(1), a.tensor(2), a.tensor(3), a.tensor(4)};
  gradient.groups = {gradient.x.rank() - 1};
  for (std::int64_t axis = 0; axis + 1 < gradient.x.rank(); ++axis) gradient.shared.push_back(axis);
  return gradient.write(c.builder());
}

// batch_norm_grad(grad, x, mean, rstd, weight, training).
Item batch_norm_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(1);
  const auto beside = [&](std::size_t i) { return channelwise(b, a.tensor(i), x.rank()); };
  const auto axes = axes_of_channels(x.rank());
  const NormGradient gradient{a.tensor(0), x,          beside(2), beside(3),
                              beside(4),   !a.flag(5), axes,      axes};
  return gradient.write(b);
}

}  // namespace

std::span<const FormRow> norm_forms() {
  static constexpr FormRow rows[] = {
      {"layer_norm", layer_norm_form},
      {"layer_norm_grad", layer_norm_grad_form},
      {"batch_norm_inference", batch_norm_inference_form},
      {"batch_norm_training", batch_norm_training_form},
      {"batch_norm_grad", batch_norm_grad_form},
  };
  return rows;
}

}  // namespace mithril::onnx
