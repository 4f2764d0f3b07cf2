// The operator mithril::linear_scan(Tensor input, Tensor decay, int axis, bool reverse, bool
// exclusive), which this library registers with torch: the recurrence of the record linear_scan.
#pragma once

#include <ATen/core/Tensor.h>

namespace mithril::torch_backend {

// Row by row along the axis: one operator per row, each element once. For the CPU.
at::Tensor linear_scan_by_rows(const at::Tensor& input, const at::Tensor& decay, int64_t axis,
                               bool reverse, bool exclusive);
// A scan by doubling (Hillis and Steele, https://doi.org/10.1145/7902.7903): about 3 log2(size)
// operators for `size` rows, each of which computes all rows at once. For other devices.
at::Tensor linear_scan_by_doubling(const at::Tensor& input, const at::Tensor& decay, int64_t axis,
                                   bool reverse, bool exclusive);

}  // namespace mithril::torch_backend
