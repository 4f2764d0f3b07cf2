// From a shape as a user writes it to the facts of a model.
#pragma once
#include "mithril/model/composite.hpp"

namespace mithril {

// Numbers remember who is speaking (Facts::current); symbols and runs of the same name in one model
// are the same.
StoredShape shape_of(Composite& model, const ShapeSpec& spec);
StoredShape shape_of(Facts& facts, const Tensor& tensor);

}  // namespace mithril
