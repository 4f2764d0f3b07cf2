// How many operations an op does for tensors of given sizes: of `cost`, and of traces.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
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

// The tensors of an op, a list port spread out; null: a value, or absent.
struct OpTensors {
  std::span<const Dims*const> inputs, outputs;
  const Datum* last_value = nullptr;  // of the last input; null: a tensor, or not known
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

inline bool has_input(const OpDef& op, std::string_view name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const PortDef& port) { return port.name == name; });
}

// Whether an element of the output combines several of the first input.
inline bool reduces(const OpDef& op) {
  return op.work.reduces || !op.combines_by.empty() || has_input(op, "keepdim");
}

// The input that the op takes elements from, as gather does; none for other ops.
inline std::optional<size_t> input_taken_from(const OpDef& op) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name == op.work.takes_from) return i;
  }
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

// What OpWork says that an op does. 0 for ops that only keep elements.
inline int64_t operations_of(const OpDef& op, const OpTensors& tensors) {
  if (tensors.outputs.empty() || !tensors.outputs.front() || op.keeps_elements) return 0;
  const int64_t made = elements_made(tensors);
  if (op.work.operations) {
    if (const auto counted = op.work.operations(tensors)) return *counted;
  }
  const int64_t products = products_per_element(op, tensors);
  if (products > 0) return count_product(count_product(2, products), made);
  return reduces(op) ? std::max(elements_read(op, tensors, 0), made) : made;
}

}  // namespace mithril
