// Elements put or reduced into the places of each row that indices choose.
#pragma once
#include <algorithm>
#include <string_view>

#include "codegen/cpp/kernels/along_axis.hpp"

namespace mithril::snippets {

template <typename T>
T scattered(std::string_view reduce, T old, T x) {
  using Wide = ProductTotal<T>;
  if (reduce == "add") return static_cast<T>(static_cast<Wide>(old) + static_cast<Wide>(x));
  if (reduce == "prod") return static_cast<T>(static_cast<Wide>(old) * static_cast<Wide>(x));
  if (reduce == "amax") return x > old || x != x ? x : old;
  if (reduce == "amin") return x < old || x != x ? x : old;
  return x;
}

template <typename T, size_t rank, typename X, typename Index, typename Source>
void scatter(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<Index, rank> index,
             Tensor<Source, rank> source, int64_t axis, std::string_view reduce) {
  for (int64_t i = 0; i < output.size(); ++i) output[i] = static_cast<T>(input[i]);
  each_along_axis(output.dims, index, axis, [&](int64_t i, int64_t at) {
    output[at] = scattered(reduce, output[at], static_cast<T>(source[i]));
  });
}

}  // namespace mithril::snippets
