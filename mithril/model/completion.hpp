// Temporary completion of models, such as the cost of a training model.
#pragma once
#include <optional>

#include "mithril/model/composition.hpp"

namespace mithril {

// During its lifetime, a root has the additions of its completion; afterwards it is as before. A
// model without a completion, or with one that is not ready, does not change.
class Completed {
 public:
  explicit Completed(Composite& model);

 private:
  std::optional<Composition> composition_;  // never committed
};

// Adds it as part of a change of the model. ConnectionError if it is not ready.
void complete(Composition& composition);
// Adds it for good, as part of a change of another model.
void complete_for_good(Composite& model, Composition& outer);
// NameError E0606 for a key that the completion will make: no connection of it lasts before.
void refuse_early(Composite& model, const std::string& key);
// ConnectionError E0115 if the model completes itself: users cannot add parts to it.
void refuse_extension(const Composite& model, const std::string& call);

}  // namespace mithril
