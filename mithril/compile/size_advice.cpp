// The help of errors about sizes that a model fixed, such as one that was converted from PyTorch.
#include "mithril/compile/compiled_state.hpp"
#include "mithril/model/composite.hpp"

namespace mithril {

std::string CompiledState::size_advice() const {
  std::vector<const Composite*> waiting;
  if (model) waiting.push_back(model.get());
  while (!waiting.empty()) {  // models may be nested very deep
    const Composite* next = waiting.back();
    waiting.pop_back();
    if (!next->size_advice.empty()) return next->size_advice;
    for (const std::shared_ptr<Part>& part : next->parts) {
      if (!part->op) waiting.push_back(static_cast<const Composite*>(part.get()));
    }
  }
  return {};
}

}  // namespace mithril
