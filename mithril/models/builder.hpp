// For the files of library models: the first and the last step of making one.
#pragma once
#include "mithril/models/library.hpp"

namespace mithril {

// An empty model of this class, which names it: the default name of model_of_class("Linear") is
// "linear".
Model model_of_class(const std::string& name);

// The model with this output; `input` and `output` are its canonical ports.
Model finished(Model model, const Connection& output);

// Converts x to at least float32. Layers use it for values that half precision cannot hold: squares
// and sums of large or small elements, counts, positions and angles.
Connection widened(const Connection& x);
// Rounded once, to the widest dtype of the floats of `like`.
Connection narrowed(const Connection& x, const std::vector<Connection>& like);

// The output of a library model that has one.
Connection only_output(std::string_view model, const Bindings& inputs);

// The argument `inference` of models that differ between training and inference. `what`: the
// meaning of True.
ArgumentDef mode_argument(const std::string& what);
inline Datum mode_of(const std::optional<bool>& inference) {
  return inference ? Datum(*inference) : Datum();
}

// A state that becomes `next` while training and does not change in inference.
void bind_next_state(Model& model, const std::string& key, const Connection& next,
                     const Datum& mode, const InitialState& initial);

}  // namespace mithril
