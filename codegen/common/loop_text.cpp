#include "codegen/common/loop_text.hpp"

#include <algorithm>

namespace mithril::codegen {

LoopNest::LoopNest(const Dims& dims, std::vector<Dims> operands) {
  std::vector<int64_t> strides(operands.size(), 1);
  for (size_t back = 1; back <= dims.size(); ++back) {
    std::vector<int64_t> steps;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Dims& own = operands[k];
      const int64_t size = back <= own.size() ? own[own.size() - back] : 1;
      steps.push_back(size == 1 ? 0 : strides[k]);
      strides[k] *= size;
    }
    add_axis(dims[dims.size() - back], steps);
  }
  std::reverse(sizes_.begin(), sizes_.end());
  std::reverse(steps_.begin(), steps_.end());
}

// Called from the innermost axis outwards.
void LoopNest::add_axis(int64_t size, const std::vector<int64_t>& steps) {
  if (size == 1) return;
  bool continues = !sizes_.empty();
  for (size_t k = 0; continues && k < steps.size(); ++k) {
    continues = steps[k] == steps_.back()[k] * sizes_.back();
  }
  if (continues) {
    sizes_.back() *= size;
    return;
  }
  sizes_.push_back(size);
  steps_.push_back(steps);
}

std::string LoopNest::index(size_t operand) const {
  std::string text;
  for (size_t axis = 0; axis < sizes_.size(); ++axis) {
    const int64_t step = steps_[axis][operand];
    if (step == 0) continue;
    if (!text.empty()) text += " + ";
    text += variable(axis);
    if (step != 1) text += " * " + std::to_string(step);
  }
  return text.empty() ? "0" : text;
}

std::string LoopNest::variable(size_t axis) {
  constexpr std::string_view letters = "ijklmnpqrstuvw";
  if (axis < letters.size()) return std::string(1, letters[axis]);
  return "i" + std::to_string(axis);
}

}  // namespace mithril::codegen
