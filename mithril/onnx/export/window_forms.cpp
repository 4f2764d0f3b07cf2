// Convolutions and pooling.
#include "mithril/onnx/export/form.hpp"
#include "mithril/onnx/export/integer_convolution.hpp"
#include "mithril/ops/support/window.hpp"

namespace mithril::onnx {
namespace {

struct WindowAttributes {
  std::vector<std::int64_t> strides, pads, dilations;
};

// The stride, the padding and the dilation of a window over two axes.
WindowAttributes window_of(const FormArguments& a, std::size_t stride, const Datum& kernel) {
  WindowAttributes window;
  std::vector<std::int64_t> after;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Datum& steps = a.is_none(stride) ? kernel : a.value(stride);
    window.strides.push_back(per_axis(steps, axis).integer());
    const auto [first, last] = padding_of(a.value(stride + 1), axis, 2);
    window.pads.push_back(Datum(first).integer());
    after.push_back(Datum(last).integer());
    window.dilations.push_back(per_axis(a.value(stride + 2), axis).integer());
  }
  window.pads.insert(window.pads.end(), after.begin(), after.end());
  return window;
}

Attributes attributes_of(const WindowAttributes& window) {
  return {{"strides", window.strides}, {"pads", window.pads}, {"dilations", window.dilations}};
}

Operand floats(const FormContext& c, const Operand& x) {
  return is_floating(x.dtype) ? x : c.builder().cast(x, c.graph().default_dtype());
}

// conv2d(x, weight, bias, stride, padding, dilation, groups).
Item conv2d_form(const FormContext& c, const FormArguments& a) {
  Attributes attributes = attributes_of(window_of(a, 3, {}));
  attributes.emplace_back("group", a.integer(6));
  if (const std::optional<Operand> made = integer_convolution(c, a, attributes)) return {*made};
  return {c.builder().call("Conv", {a.tensor(0), a.tensor(1), a.tensor(2)}, std::move(attributes))};
}

// The output_padding of a transposed convolution on this axis: `wanted` less the size without it.
std::int64_t output_padding(const WindowAttributes& window, std::size_t axis, const Dim& kernel,
                            const Dim& steps, const Dim& wanted) {
  const Dim span = Dim(window.dilations[axis]) * (kernel - 1) + 1;
  const Dim pads = Dim(window.pads[axis] + window.pads[2 + axis]);
  const Dim rest = resolve(wanted - (Dim(window.strides[axis]) * (steps - 1) + span - pads));
  if (!rest.is_constant()) no_form("the size of the result does not follow from the input alone");
  return rest.constant();
}

// conv2d_input_grad(grad, dims, weight, stride, padding, dilation, groups).
Item conv2d_input_grad_form(const FormContext& c, const FormArguments& a) {
  const Operand grad = a.tensor(0), weight = a.tensor(2);
  const std::vector<Dim> dims = a.dims(1);
  const WindowAttributes window = window_of(a, 3, {});
  std::vector<std::int64_t> paddings;
  for (std::size_t axis = 0; axis < 2; ++axis)
    paddings.push_back(output_padding(window, axis, weight.known_dims()[2 + axis],
                                      grad.known_dims()[2 + axis], dims[2 + axis]));
  Attributes attributes = attributes_of(window);
  attributes.emplace_back("group", a.integer(6));
  attributes.emplace_back("output_padding", paddings);
  return {c.builder().call("ConvTranspose", {grad, weight}, std::move(attributes))};
}

// conv2d_weight_grad(grad, x, dims, stride, padding, dilation, groups): swaps the axes of samples
// and channels of x and grad, and convolves x with grad.
Item conv2d_weight_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  if (a.integer(6) != 1) no_form("ONNX has no gradient of a grouped convolution in its weight");
  const std::vector<std::int64_t> exchanged = {1, 0, 2, 3};
  WindowAttributes window = window_of(a, 3, {});
  std::swap(window.strides, window.dilations);
  const Operand x = b.call("Transpose", {a.tensor(1)}, {{"perm", exchanged}});
  const Operand grad = b.call("Transpose", {a.tensor(0)}, {{"perm", exchanged}});
  const Operand made = b.call("Conv", {x, grad}, attributes_of(window));
  const std::vector<Dim> dims = a.dims(2);
  const Operand cut =
      b.call("Slice", {made, b.integers({0, 0}), b.shape({dims[2], dims[3]}), b.integers({2, 3})});
  return {b.call("Transpose", {cut}, {{"perm", exchanged}})};
}

// Pooling of ONNX has two axes before the plane.
Operand planes(GraphBuilder& b, const Operand& x) {
  const std::vector<Dim>& dims = x.known_dims();
  if (dims.size() == 4) return x;
  std::vector<Dim> lead = {1, 1};
  for (std::size_t axis = 0; axis + 2 < dims.size(); ++axis) lead[0] = lead[0] * dims[axis];
  lead.push_back(dims[dims.size() - 2]);
  lead.push_back(dims.back());
  return b.reshape(x, lead);
}

std::vector<std::int64_t> kernel_of(const Datum& kernel) {
  return {per_axis(kernel, 0).integer(), per_axis(kernel, 1).integer()};
}

// max_pool2d(x, kernel, stride, padding, dilation): the elements and their places in the plane.
Item max_pool2d_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand given = a.tensor(0), x = planes(b, floats(c, given));
  Attributes attributes = attributes_of(window_of(a, 2, a.value(1)));
  attributes.emplace_back("kernel_shape", kernel_of(a.value(1)));
  const std::vector<Operand> made =
      b.call_several("MaxPool", {x}, std::move(attributes), {x.dtype, DType::int64});
  const std::vector<Dim>& dims = given.known_dims();
  const Dim plane = dims[dims.size() - 2] * dims.back();
  const Dim size = resolve(plane).is_constant(0) ? Dim(1) : plane;
  const Operand places = b.call("Mod", {made[1], b.number(size, DType::int64)});
  if (dims.size() == 4) return {std::vector<Item>{{made[0]}, {places}}};
  return {std::vector<Item>{{b.reshape(made[0], c.output_dims())},
                            {b.reshape(places, c.output_dims())}}};
}

// avg_pool2d(x, kernel, stride, padding, dilation).
Item avg_pool2d_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand given = a.tensor(0), x = planes(b, given);
  const WindowAttributes window = window_of(a, 2, a.value(1));
  Attributes attributes = {{"kernel_shape", kernel_of(a.value(1))},
                           {"strides", window.strides},
                           {"pads", window.pads},
                           {"count_include_pad", std::int64_t{1}}};
  if (window.dilations != std::vector<std::int64_t>{1, 1}) {
    if (b.opset() < 19) no_form("ONNX averages windows with a dilation from opset 19 on");
    attributes.emplace_back("dilations", window.dilations);
  }
  const Operand made = b.call("AveragePool", {x}, std::move(attributes));
  return {given.rank() == 4 ? made : b.reshape(made, c.output_dims())};
}

// Whether each window has an element of the input: neither reaches it with padding alone, nor steps
// over it.
bool meets_input(const WindowAttributes& window, const std::vector<std::int64_t>& kernel,
                 const std::vector<Dim>& dims) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t dilation = window.dilations[axis], span = dilation * (kernel[axis] - 1);
    if (window.pads[axis] > span || window.pads[2 + axis] > span) return false;
    const Dim size = resolve(dims[dims.size() - 2 + axis]);
    if (dilation > 1 && (!size.is_constant() || size.constant() < dilation)) return false;
  }
  return true;
}

// max_pool2d_grad(grad, x, kernel, stride, padding, dilation): adds each element of grad to zeros,
// at the place of the largest element of its window.
Item max_pool2d_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  if (b.opset() < 16) no_form("ONNX adds to elements from opset 16 on");
  const std::vector<std::int64_t> kernel = kernel_of(a.value(2));
  const WindowAttributes window = window_of(a, 3, a.value(2));
  if (!meets_input(window, kernel, c.output_dims()))
    no_form("MaxPool of ONNX has no index for a window of padding alone");
  const Operand grad = a.tensor(0), x = planes(b, floats(c, a.tensor(1)));
  Attributes attributes = attributes_of(window);
  attributes.emplace_back("kernel_shape", kernel);
  const Operand places =
      b.call_several("MaxPool", {x}, std::move(attributes), {x.dtype, DType::int64})[1];
  const auto flat = [&](const Operand& operand) {
    return b.call("Reshape", {operand, b.integers({-1})});
  };
  Dim size = 1;
  for (const Dim& dim : c.output_dims()) size = size * dim;
  const Operand zeros = b.expand(b.number(0.0, grad.dtype), {size});
  const Operand sums = b.call("ScatterElements", {zeros, flat(places), flat(grad)},
                              {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
  return {b.reshape(sums, c.output_dims())};
}

// avg_pool2d_grad(grad, like, kernel, stride, padding, dilation): the transposed convolution of
// each plane with a window of equal weights.
Item avg_pool2d_grad_form(const FormContext& c, const FormArguments& a) {
  GraphBuilder& b = c.builder();
  const Operand grad = a.tensor(0);
  const std::vector<std::int64_t> kernel = kernel_of(a.value(2));
  const WindowAttributes window = window_of(a, 3, a.value(2));
  const std::vector<Dim>& made_of = grad.known_dims();
  const std::size_t lead = made_of.size() - 2;
  std::vector<Dim> dims = {1, 1, made_of[lead], made_of[lead + 1]};
  for (std::size_t axis = 0; axis < lead; ++axis) dims[0] = dims[0] * made_of[axis];
  std::vector<std::int64_t> paddings;
  for (std::size_t axis = 0; axis < 2; ++axis)
    paddings.push_back(output_padding(window, axis, kernel[axis], made_of[lead + axis],
                                      c.output_dims()[lead + axis]));
  Attributes attributes = attributes_of(window);
  attributes.emplace_back("output_padding", paddings);
  const double weight = 1.0 / static_cast<double>(kernel[0] * kernel[1]);
  const Operand weights =
      b.constant(Tensor::full(grad.dtype, {1, 1, kernel[0], kernel[1]}, weight));
  const Operand made =
      b.call("ConvTranspose", {b.reshape(grad, dims), weights}, std::move(attributes));
  return {b.reshape(made, c.output_dims())};
}

}  // namespace

std::span<const FormRow> window_forms() {
  static constexpr FormRow rows[] = {
      {"conv2d", conv2d_form},
      {"conv2d_input_grad", conv2d_input_grad_form},
      {"conv2d_weight_grad", conv2d_weight_grad_form},
      {"max_pool2d", max_pool2d_form},
      {"max_pool2d_grad", max_pool2d_grad_form},
      {"avg_pool2d", avg_pool2d_form},
      {"avg_pool2d_grad", avg_pool2d_grad_form},
  };
  return rows;
}

}  // namespace mithril::onnx
