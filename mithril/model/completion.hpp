// Temporary completion of models, such as the cost of a training model.
#pragma once
#include <optional>

#include "mithril/model/composition.hpp"

namespace mithril {

// While it lives, a root has what its completion adds; afterwards it is as before. A model without
// one, or whose completion is not ready, is left as it is.
class Completed {
 public:
  explicit Completed(Composite& model);

 private:
  std::optional<Composition> composition_;  // never committed
};

// Adds it as part of a change of the model. ConnectionError where it is too early.
void complete(Composition& composition);
// Adds it for good, as part of a change of another model.
void complete_for_good(Composite& model, Composition& outer);
// NameError E0606 for a key that the completion will make: no connection of it lasts before.
void refuse_early(Composite& model, const std::string& key);
// ConnectionError E0115 where the model is one that completes itself: its parts are its own affair.
void refuse_extension(const Composite& model, const std::string& call);

}  // namespace mithril
