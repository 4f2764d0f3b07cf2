// Models as arguments of models: activations, cells, kernels.
#pragma once
#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// A model argument: a class name, or an unmodified model of the library. It is a recipe: one model
// may be the argument of several layers, and each makes its own parts.
class PartArgument {
 public:
  PartArgument(const char* name) : datum_(name) {}
  PartArgument(const std::string& name) : datum_(name) {}
  PartArgument(const Model& model);

  const Datum& datum() const { return datum_; }

 private:
  Datum datum_;
};

// "Relu", or, with arguments, a name or set types, a tuple ("LeakyRelu", (("slope", 0.1),), "name",
// (("input", kinds or dtype),)). TypeError E0305 for a model that its user composed or changed.
Datum argument_of(const Model& model);

}  // namespace mithril
