// The operator mithril::random_uniform(Tensor key, int[] size, ScalarType dtype), which this
// library registers with torch: the numbers of the record random_uniform, with the same bits on
// each device.
#pragma once

#include <ATen/core/Tensor.h>

namespace mithril::torch_backend {

// The implementation for the CPU: one pass over the elements.
at::Tensor random_uniform_on_cpu(const at::Tensor& key, at::IntArrayRef size,
                                 c10::ScalarType dtype);
// The implementation for other devices: int64 operators of torch, which wrap around on overflow.
// Nothing is copied between host and device.
at::Tensor random_uniform_of_operators(const at::Tensor& key, at::IntArrayRef size,
                                       c10::ScalarType dtype);

// The operator mithril::random_uniform_rows(Tensor key, Tensor first, Tensor total, int axis, int[]
// size, ScalarType dtype): the numbers that random_uniform draws for a tensor whose `axis` has
// `total` indices, from index `first` of it on.
at::Tensor random_uniform_rows_on_cpu(const at::Tensor& key, const at::Tensor& first,
                                      const at::Tensor& total, int64_t axis, at::IntArrayRef size,
                                      c10::ScalarType dtype);
at::Tensor random_uniform_rows_of_operators(const at::Tensor& key, const at::Tensor& first,
                                            const at::Tensor& total, int64_t axis,
                                            at::IntArrayRef size, c10::ScalarType dtype);

}  // namespace mithril::torch_backend
