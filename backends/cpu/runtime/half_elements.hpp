// Converts 16-bit elements to and from float and double.
#pragma once

#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// Converts the elements [begin, end) of the iteration to T: float or double.
template <typename T>
void gather_halves(DType dtype, const uint16_t* elements, const BroadcastIteration& iteration,
                   int64_t begin, int64_t end, T* to);

// Rounds `count` elements to the dtype.
template <typename T>
void store_halves(DType dtype, const T* from, int64_t count, uint16_t* to);

// Whether the elements of a 16-bit tensor are not aligned to 4 bytes. GEMMs read pairs of elements
// as floats, so they need the aligned copy that where_floats_begin makes.
bool begins_between_floats(const Tensor& tensor);
inline Tensor where_floats_begin(const Tensor& tensor) {
  return begins_between_floats(tensor) ? tensor.copy() : tensor;
}

}  // namespace mithril::cpu_backend
