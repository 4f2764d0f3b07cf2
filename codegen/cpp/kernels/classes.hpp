// Samples with a class each; the second axis holds the classes.
#pragma once
#include "codegen/cpp/kernels/axes.hpp"

namespace mithril::snippets {

// Calls body(sample, at) with the index of the class of each sample.
template <size_t rank, typename Index, size_t samples, typename Body>
void each_class(const Dims<rank>& dims, Tensor<Index, samples> index, Body body) {
  const AxisView view = view_along(dims, 1);
  for (int64_t sample = 0; sample < index.size(); ++sample) {
    const auto chosen = static_cast<int64_t>(index[sample]);
    if (chosen < 0 || chosen >= view.size) fail("a class is out of range");
    body(sample, view.at(sample / view.inner, chosen, sample % view.inner));
  }
}

}  // namespace mithril::snippets
