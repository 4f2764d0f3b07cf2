// How many operations an op does for tensors of given sizes: of `cost`, and of traces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/subscripts.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

[[noreturn]] inline void refuse_large_count() {
  raise({.kind = ErrorKind::shape,
         .code = "E0205",
         .message = "a count of elements, operations or bytes is too large for 64 bits",
         .help = "give smaller sizes in shapes"});
}

inline int64_t count_sum(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) refuse_large_count();
  return result;
}

inline int64_t count_product(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) refuse_large_count();
  return result;
}

inline int64_t counted_elements(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t size : dims) count = count_product(count, size);
  return count;
}

// The tensors of an op, a list port spread out; null: a value, or absent. `equation`: of einsum.
struct OpTensors {
  std::span<const Dims*const> inputs, outputs;
  const std::string* equation = nullptr;
};

// The size of an axis, counted from the last one; 1 if there is none.
inline int64_t axis_from_end(const Dims* dims, size_t from_end) {
  return dims && from_end < dims->size() ? (*dims)[dims->size() - 1 - from_end] : 1;
}

// How many products an element of the output is the sum of; 0 for ops that sum no products. The
// second input of a product has axes that the output lacks.
inline int64_t products_per_element(const OpDef& op, const OpTensors& tensors) {
  const auto needed = std::count_if(op.inputs.begin(), op.inputs.end(), [](const PortDef& port) {
    return !port.fallback && !port.shape.empty();
  });
  if (op.cast != CastPolicy::lower || needed != 2 || !tensors.inputs[1]) return 0;
  const auto& ports = op.compiled.ports;
  const auto& elements = ports[1].elements;
  const auto& output = ports[op.inputs.size()].elements;
  int64_t products = 1;
  bool has_own = false, after_run = false;
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto& element = elements[i];
    after_run = after_run || element.run;
    if (element.run || element.variable < 0) continue;
    const auto is_it = [&](const auto& other) {
      return !other.run && other.variable == element.variable;
    };
    if (std::any_of(output.begin(), output.end(), is_it)) continue;
    const Dims& dims = *tensors.inputs[1];
    const size_t axis = after_run ? dims.size() - (elements.size() - i) : i;
    if (axis >= dims.size()) return 0;
    has_own = true;
    products = count_product(products, dims[axis]);
  }
  return has_own ? products : 0;
}

// Each combination of indices takes a multiplication per operand but one, and an addition.
inline std::optional<int64_t> operations_of_einsum(const OpTensors& tensors) {
  Equation equation;
  if (!tensors.equation || parse_equation(*tensors.equation, equation)) return {};
  const size_t operands = equation.operands.size();
  if (operands > tensors.inputs.size()) return {};
  std::map<char, int64_t> sizes;
  int64_t dots = 1;
  for (size_t k = 0; k < operands; ++k) {
    const Dims* dims = tensors.inputs[k];
    if (!dims) return {};
    const Subscripts& letters = equation.operands[k];
    for (size_t i = 0; i < letters.before.size(); ++i)
      sizes[letters.before[i]] = axis_from_end(dims, dims->size() - 1 - i);
    for (size_t i = 0; i < letters.after.size(); ++i)
      sizes[letters.after[i]] = axis_from_end(dims, letters.after.size() - 1 - i);
    int64_t named = 1;
    for (const char letter : letters.letters()) named = count_product(named, sizes[letter]);
    if (letters.has_dots && named > 0) dots = std::max(dots, counted_elements(*dims) / named);
  }
  int64_t indices = dots;
  for (const auto& [letter, size] : sizes) indices = count_product(indices, size);
  return count_product(static_cast<int64_t>(operands), indices);
}

// The operations of an op of several products; none for other ops.
inline std::optional<int64_t> operations_of_products(const OpDef& op, const OpTensors& tensors,
                                                     int64_t made) {
  const std::string& name = op.name;
  if (name == "einsum") return operations_of_einsum(tensors);
  if (name == "scaled_dot_product") {  // query, key, value
    const int64_t features = axis_from_end(tensors.inputs[0], 0);
    const int64_t keys = axis_from_end(tensors.inputs[1], 1);
    const int64_t width = axis_from_end(tensors.inputs[2], 0);
    if (width == 0) return 0;
    const int64_t products = count_product(count_product(2, made / width), keys);
    return count_product(products, count_sum(features, width));
  }
  if (name == "conv2d_input_grad" || name == "conv2d_weight_grad") {  // grad, input, weight
    const int64_t channels = axis_from_end(tensors.inputs[2], 3);
    if (channels == 0) return 0;
    const int64_t read = counted_elements(*tensors.inputs[0]);
    return count_product(count_product(2, read), counted_elements(*tensors.inputs[2]) / channels);
  }
  return {};
}

inline bool has_input(const OpDef& op, std::string_view name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const PortDef& port) { return port.name == name; });
}

// Whether an element of the output combines several of the first input.
inline bool reduces(const OpDef& op) {
  return !op.combines_by.empty() || has_input(op, "keepdim") || op.name == "sum_to";
}

// The input that the op takes elements from, as gather does; none for other ops.
inline std::optional<size_t> input_taken_from(const OpDef& op) {
  if (op.name == "embedding") return 1;  // the weight
  const bool moves = op.linear.size() == 1 && op.linear.front() == op.inputs.front().name;
  const bool takes = !reduces(op) && (moves || has_input(op, "index"));
  return takes ? std::optional<size_t>(0) : std::nullopt;
}

inline int64_t elements_made(const OpTensors& tensors) {
  int64_t made = 0;
  for (const Dims* dims : tensors.outputs) {
    if (dims) made = count_sum(made, counted_elements(*dims));
  }
  return made;
}

// How many elements of an input the op reads. An op that takes elements reads no others.
inline int64_t elements_read(const OpDef& op, const OpTensors& tensors, size_t input) {
  if (!tensors.inputs[input]) return 0;
  const int64_t present = counted_elements(*tensors.inputs[input]);
  return input == input_taken_from(op) ? std::min(present, elements_made(tensors)) : present;
}

// Additions and multiplications of ops that multiply tensors or convolve; other ops do one
// operation per element that they make or, if they reduce, read. 0 for ops that only keep elements.
inline int64_t operations_of(const OpDef& op, const OpTensors& tensors) {
  if (tensors.outputs.empty() || !tensors.outputs.front() || op.keeps_elements) return 0;
  const int64_t made = elements_made(tensors);
  if (const auto products = operations_of_products(op, tensors, made)) return *products;
  const int64_t products = products_per_element(op, tensors);
  if (products > 0) return count_product(count_product(2, products), made);
  return reduces(op) ? std::max(elements_read(op, tensors, 0), made) : made;
}

}  // namespace mithril
