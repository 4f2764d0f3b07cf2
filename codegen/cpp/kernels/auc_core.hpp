// The points of a receiver operating characteristic.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// The fractions of positive and of negative samples whose score is at least that of each sample,
// from the highest score down, as two rows.
template <typename T, typename S, typename L>
void auc_core(Tensor<T, 2> output, Tensor<S, 1> scores, Tensor<L, 1> labels) {
  const int64_t count = scores.size();
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  double positive = 0;
  for (int64_t i = 0; i < count; ++i) positive += labels[i] ? 1 : 0;
  const double negative = static_cast<double>(count) - positive;
  double found = 0, wrong = 0;
  for (int64_t i = 0, next = 0; i < count; ++i) {
    const auto score = scores[order[static_cast<size_t>(i)]];
    for (; next < count && scores[order[static_cast<size_t>(next)]] == score; ++next) {
      ++(labels[order[static_cast<size_t>(next)]] ? found : wrong);
    }
    output[i] = static_cast<T>(found / positive);
    output[count + i] = static_cast<T>(wrong / negative);
  }
}

}  // namespace mithril::snippets
