// Models as arguments of models: activations, cells, kernels.
#pragma once
#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// By its class name, or a model of the library as it was made. It is a recipe: one model may be the
// argument of several, and each makes parts of its own.
class PartArgument {
 public:
  PartArgument(const char* name) : datum_(name) {}
  PartArgument(const std::string& name) : datum_(name) {}
  PartArgument(const Model& model);

  const Datum& datum() const { return datum_; }

 private:
  Datum datum_;
};

// "Relu", or where it has arguments, a name of its own or types that were set
// ("LeakyRelu", (("slope", 0.1),), "name", (("input", kinds),)). TypeError E0305 for a model that
// was composed by its user, or changed in another way.
Datum argument_of(const Model& model);
bool is_part_argument(const Datum& datum);  // one of these two
// Makes what such a datum says. NameError E0608 for an unknown class.
Model made_of(const Datum& argument);

}  // namespace mithril
