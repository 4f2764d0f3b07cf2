#include "mithril/onnx/export/integer_convolution.hpp"

#include "mithril/onnx/export/integer_values.hpp"
#include "mithril/ops/support/integer_range.hpp"

namespace mithril::onnx {
namespace {

constexpr double largest_byte = 255, largest_sum = 2147483647, largest_exact = 16777216;

struct Bytes {
  Operand numbers, zero;  // uint8; the zero point may be missing
};

// ONNX Runtime has ConvInteger of uint8 alone. Products with weights of int8 saturate on x86
// processors without VNNI.
class Quantizer {
 public:
  explicit Quantizer(const FormContext& c) : c_(c), b_(c.builder()) {}

  // None if 8 bits do not hold the integers.
  std::optional<Bytes> write(const Operand& x, const IntegerValues& values) {
    if (values.most - values.least > largest_byte) return std::nullopt;
    if (values.zero && !fits_zero(values)) return std::nullopt;
    return Bytes{numbers(x, values), zero(values)};
  }

 private:
  bool fits_zero(const IntegerValues& values) const {
    const IntegerRange range = integer_range(c_.graph().value(*values.zero).dtype);
    return range.least >= values.least && range.above - 1 - values.least <= largest_byte;
  }

  Operand numbers(const Operand& x, const IntegerValues& values) {
    if (values.bytes) return c_.operand(*values.bytes);
    if (values.elements) return known_numbers(*values.elements, values.least);
    Operand sum = x;
    if (values.zero) sum = b_.call("Add", {sum, b_.cast(zero_point(values), x.dtype)});
    if (values.least != 0) sum = b_.call("Sub", {sum, b_.number(values.least, x.dtype)});
    return b_.cast(sum, DType::uint8);
  }

  Operand known_numbers(const Tensor& elements, double least) {
    std::vector<double> numbers;
    for (const double number : elements.values<double>()) numbers.push_back(number - least);
    return b_.constant(Tensor::of(elements.dims(), numbers).to(DType::uint8));
  }

  Operand zero(const IntegerValues& values) {
    if (!values.zero) return values.least == 0 ? Operand{} : b_.number(-values.least, DType::uint8);
    const Operand zero = zero_point(values);
    if (values.least == 0) return zero;
    const Operand wide = b_.cast(zero, DType::int32);
    return b_.cast(b_.call("Sub", {wide, b_.number(values.least, DType::int32)}), DType::uint8);
  }

  Operand zero_point(const IntegerValues& values) {
    const Operand zero = c_.operand(*values.zero);
    return zero.rank() == 0 ? zero : b_.reshape(zero, {});
  }

  const FormContext& c_;
  GraphBuilder& b_;
};

// The number of products of one sum; none if it is not known.
std::optional<double> depth_of(const Operand& weight) {
  double depth = 1;
  for (std::size_t axis = 1; axis < weight.known_dims().size(); ++axis) {
    const Dim size = resolve(weight.known_dims()[axis]);
    if (!size.is_constant()) return std::nullopt;
    depth *= static_cast<double>(size.constant());
  }
  return depth;
}

}  // namespace

std::optional<Operand> integer_convolution(const FormContext& c, const FormArguments& a,
                                           const Attributes& attributes) {
  GraphBuilder& b = c.builder();
  const Operand x = a.tensor(0), weight = a.tensor(1), bias = a.tensor(2);
  const ValueId *from = tensor_of(c.node().arguments[c.node().argument_index("input")]),
                *by = tensor_of(c.node().arguments[c.node().argument_index("weight")]);
  if (x.dtype != DType::float64 || !from || !by) return std::nullopt;
  const IntegerAnalysis analysis(c.graph());
  const std::optional<IntegerValues> left = analysis.values(*from), right = analysis.values(*by);
  const std::optional<double> depth = depth_of(weight);
  if (!left || !right || !depth) return std::nullopt;
  const double most = *depth * left->largest(c.graph()) * right->largest(c.graph());
  std::optional<Operand> sums;
  Quantizer writer(c);
  const std::optional<Bytes> numbers = writer.write(x, *left),
                             weights = writer.write(weight, *right);
  if (numbers && weights && most <= largest_sum) {
    sums = b.call("ConvInteger", {numbers->numbers, weights->numbers, numbers->zero, weights->zero},
                  attributes, DType::int32);
  } else if (most <= largest_exact) {
    const DType narrow = DType::float32;
    sums = b.call("Conv", {b.cast(x, narrow), b.cast(weight, narrow)}, attributes);
  }
  if (!sums) return std::nullopt;
  const Operand made = b.cast(*sums, x.dtype);
  if (bias.is_missing()) return made;
  const Operand added = b.reshape(bias, {bias.known_dims().front(), Dim(1), Dim(1)});
  return b.call("Add", {made, added});
}

}  // namespace mithril::onnx
