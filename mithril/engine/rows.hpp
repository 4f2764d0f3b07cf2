// Rows of tensors: several tensors as one batch, and the parts of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The tensors one after another along axis 0, in a new tensor of these dims, which has as many
// rows. Axes after the first may be longer than those of a part: the rest is `padding`.
Tensor join_rows(std::span<const Tensor> parts, const Dims& dims, double padding);

// The rows from `first` on, as a new tensor of these dims: of each axis after the first the
// beginning.
Tensor cut_rows(const Tensor& batch, std::int64_t first, const Dims& dims);

}  // namespace mithril
