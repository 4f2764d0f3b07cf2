// auc_core: how many are found, and how many wrongly, as a threshold falls.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Equal scores make one point.
void eval_auc_core(EvalContext& c) {
  const auto scores = c.read<double>("input");
  const auto labels = c.read<bool>("label");
  const int64_t count = scores.size();
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  const auto positive = static_cast<double>(std::count(labels.begin(), labels.end(), true));
  const double negative = static_cast<double>(count) - positive;
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    double found = 0, wrong = 0;
    for (int64_t i = 0, next = 0; i < count; ++i) {
      for (; next < count &&
             scores[order[static_cast<size_t>(next)]] == scores[order[static_cast<size_t>(i)]];
           ++next) {
        ++(labels[order[static_cast<size_t>(next)]] ? found : wrong);
      }
      y[i] = static_cast<T>(found / positive);
      y[count + i] = static_cast<T>(wrong / negative);
    }
  });
}

}  // namespace

OpDef define_auc_core() {
  return {
      .name = "auc_core",
      .doc =
          "The points of a receiver operating characteristic (ROC), as two rows: for each sample "
          "in descending order of scores, the fractions of the positive and of the negative "
          "samples whose score is at least that of the sample. Samples of equal score give equal "
          "points.",
      .inputs = {{"input", "N", "float"}, {"label", "N", "bool"}},
      .outputs = {{"output", "2 N", "float"}},
      .eval = eval_auc_core,
      .not_differentiable = "it counts",
      .cast = CastPolicy::float32,
      .spell = {{"jax", "auc_core({input}, {label})"},
                {"torch", "unsupported: counts with a loop"}},
  };
}

}  // namespace mithril
