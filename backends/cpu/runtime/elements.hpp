// Loads elements of buffers as float or double, and stores them.
#pragma once

#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/step.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// A value, and the type of its elements.
struct TypedValue {
  ValueId id;
  DType dtype;
};

// Converts the elements [begin, end) of the iteration over the value to T: float or double.
template <typename T>
void gather_elements(const BufferTable& buffers, const TypedValue& from,
                     const BroadcastIteration& iteration, int64_t begin, int64_t end, T* to);

// Writes `count` elements of the value from element `begin` on: unchanged, converted to bool,
// rounded to 16 bits, or as integers, which they must be.
template <typename T>
void store_elements(const BufferTable& buffers, const TypedValue& to, int64_t begin, const T* from,
                    int64_t count);

// Whether the elements of a 16-bit tensor are not aligned to 4 bytes. GEMMs read pairs of elements
// as floats, so they need the aligned copy that where_floats_begin makes.
bool begins_between_floats(const Tensor& tensor);
inline Tensor where_floats_begin(const Tensor& tensor) {
  return begins_between_floats(tensor) ? tensor.copy() : tensor;
}

}  // namespace mithril::cpu_backend
