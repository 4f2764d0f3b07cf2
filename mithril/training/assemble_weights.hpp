// Parameters made of stored tensors.
#pragma once

#include <string>
#include <vector>

#include "mithril/tensor/tensor.hpp"
#include "mithril/training/weight_source.hpp"

namespace mithril {

// Why a rule does not fit its tensors.
struct RuleMismatch {
  std::string why;
};

bool changes_elements(const WeightSource& source);
// Throws RuleMismatch.
Tensor assembled(const WeightSource& source, std::vector<Tensor> tensors);

}  // namespace mithril
