#include "backends/cpu/conv/convolution_form.hpp"

namespace mithril::cpu_backend {

Convolution in_pairs(Convolution convolution) {
  convolution.inputs = (convolution.inputs + 1) / 2;
  return convolution;
}

VnniOperand vnni_source(const Convolution& c) {
  return {c.height.input * c.width.input, c.inputs, false, c.images * c.groups};
}

VnniOperand vnni_weight(const Dims& dims) { return {dims[2] * dims[3], dims[1], false, dims[0]}; }

Int16Operand int16_source(const Convolution& c, DType dtype) {
  return {dtype, c.height.input * c.width.input, c.inputs, false, c.images * c.groups};
}

Int16Operand int16_weight(const Dims& dims) {
  return {DType::int16, dims[2] * dims[3], dims[1], false, dims[0]};
}

}  // namespace mithril::cpu_backend
