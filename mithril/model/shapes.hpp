// Converts a user's shapes to facts of a model.
#pragma once
#include "mithril/model/composite.hpp"

namespace mithril {

// Numbers have the origin Facts::current. Symbols and runs of the same name in one model are the
// same.
StoredShape shape_of(Composite& model, const ShapeSpec& spec);
StoredShape shape_of(Facts& facts, const Tensor& tensor);

}  // namespace mithril
