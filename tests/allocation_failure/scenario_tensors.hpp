// Tensors of scenarios, and copies that are not part of a call.
#pragma once

#include <string>
#include <utility>

#include "mithril/tensor/tensor_map.hpp"
#include "tests/allocation_failure/failing_allocator.hpp"

namespace mithril::tests {

inline Tensor numbers(Dims dims, float first) {
  Tensor tensor(DType::float32, std::move(dims));
  for (float& element : tensor.mutable_values<float>()) element = first += 0.25f;
  return tensor;
}

inline std::string text_of(const TensorMap& tensors) {
  std::string text;
  for (const auto& [key, tensor] : tensors) text += key + ": " + to_string(tensor.host()) + "\n";
  return text;
}

// An argument passed by value, whose copy the library does not make.
template <typename T>
T copied(const T& argument) {
  const bool was_on = FailingAllocator::count(false);
  T copy = argument;
  FailingAllocator::count(was_on);
  return copy;
}

inline TensorMap shared(const TensorMap& tensors) {
  const bool was_on = FailingAllocator::count(false);
  TensorMap same = tensors.share();
  FailingAllocator::count(was_on);
  return same;
}

}  // namespace mithril::tests
