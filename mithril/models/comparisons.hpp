// Losses and similarities that are formulas of other ops.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

struct HuberLossOptions {
  double delta = 1.0;  // where the parabola becomes a line
};
// With e = |input - target|: e^2 / 2 if e is at most delta, otherwise delta (e - delta / 2) (Huber
// 1964). Ports: input [...], target [...], output [...].
Model HuberLoss(HuberLossOptions options = {});

struct SmoothL1LossOptions {
  double beta = 1.0;  // where the parabola becomes a line; 0: a line everywhere
};
// With e = |input - target|: e^2 / (2 beta) if e is below beta, otherwise e - beta / 2 (Girshick
// 2015). Ports: input [...], target [...], output [...].
Model SmoothL1Loss(SmoothL1LossOptions options = {});

struct CosineSimilarityOptions {
  int64_t axis = 1;
  double eps = 1e-8;  // the least norm
};
// sum(left right) / (|left| |right|) along an axis. Ports: left [...], right [...], output without
// the axis.
Model CosineSimilarity(CosineSimilarityOptions options = {});

struct LogSumExpOptions {
  OptionValue axis = -1;  // an int, or a tuple of axes
  bool keepdim = false;   // keep reduced axes with a size of 1
};
// log(sum(exp(input))) over one axis or several, without overflow. Ports: input [...], output.
Model LogSumExp(const LogSumExpOptions& options = {});

}  // namespace mithril
