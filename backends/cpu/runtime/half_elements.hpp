// What loops read and write in 16 bits.
#pragma once

#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// The elements [begin, end) of a iteration, as T: float or double.
template <typename T>
void gather_halves(DType dtype, const uint16_t* elements, const BroadcastIteration& iteration,
                   int64_t begin, int64_t end, T* to);

// Rounded to the dtype.
template <typename T>
void store_halves(DType dtype, const T* from, int64_t count, uint16_t* to);

// Whether elements of 16 bits begin between two places of floats: products read two of them as one
// float, and are given a copy then.
bool begins_between_floats(const Tensor& tensor);
inline Tensor where_floats_begin(const Tensor& tensor) {
  return begins_between_floats(tensor) ? tensor.copy() : tensor;
}

}  // namespace mithril::cpu_backend
