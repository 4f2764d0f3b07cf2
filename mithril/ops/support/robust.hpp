// The threshold below which "robust" forms of log and sqrt go on as a straight line, so that values
// and slopes stay finite at 0.
#pragma once
#include <limits>

#include "mithril/graph/grad_context.hpp"
#include "mithril/op/eval_context.hpp"

namespace mithril {

// None means the smallest normal number.
template <typename T>
T robust_threshold(EvalContext& c) {
  const Datum& threshold = c.value("threshold");
  return threshold.is_none() ? std::numeric_limits<T>::min() : static_cast<T>(threshold.real());
}

inline double robust_threshold(GradContext& g) {
  const Datum& threshold = g.value("threshold");
  if (!threshold.is_none()) return threshold.real();
  return g.out().dtype() == DType::float64 ? std::numeric_limits<double>::min()
                                           : std::numeric_limits<float>::min();
}

}  // namespace mithril
