// 0, 1, 2, ...
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

template <typename T, typename Like>
void positions(Tensor<T, 1> output, Like) {
  for (int64_t i = 0; i < output.size(); ++i) output[i] = static_cast<T>(i);
}

}  // namespace mithril::snippets
