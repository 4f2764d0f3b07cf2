// Linear layers that classify or fit.
#pragma once
#include <cstdint>
#include <optional>

#include "mithril/model/model.hpp"

namespace mithril {

// A linear layer with one output, and its sign. Ports: input [N, ..., I], weight [1, I], bias [1],
// output, decision_output [N, ..., 1].
Model LinearSVM();

// A linear layer with one output, and its sigmoid. Ports: input [N, ..., I], weight [1, I], bias
// [1], output, probs_output [N, ..., 1].
Model LogisticRegression();

struct PolynomialRegressionOptions {
  int64_t degree = 0;                     // of the products of columns, at least 1
  std::optional<int64_t> dimension = {};  // number of outputs; none: inferred
};
// A linear layer applied to all products of 1 to `degree` columns. Ports: input [N, I], weight
// [dimension, F], bias [dimension], output [N, dimension].
Model PolynomialRegression(const PolynomialRegressionOptions& options);

}  // namespace mithril
