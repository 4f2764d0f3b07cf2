// Choices between two parts.
#pragma once
#include <string>

#include "mithril/model/model.hpp"

namespace mithril {

// A choice: runs `then` if the condition is true, `otherwise` if it is false, and never both. The
// models become its parts. `condition`: the name of an input, a scalar bool, which is new or one
// that the models read. Ports: inputs of the same name are one input, and parameters stay those of
// their part. Outputs: those of both models, which have the same names, shapes and dtypes. The
// gradient computes the chosen branch again. States are those of the branches and the condition: a
// branch that does not run keeps its state.
// ConnectionError E0137 for models with different outputs; ShapeError E0206 and TypeError E0402 for
// outputs of different shapes or types, and for a condition that is not a scalar bool; TypeError
// E0301 when the model is compiled, if dtypes differ.
Model Cond(const std::string& condition, const Model& then, const Model& otherwise);
// The condition is the only output of a model, which becomes a part, too, and shares the inputs.
// ConnectionError E0138 if it has several outputs.
Model Cond(const Model& condition, const Model& then, const Model& otherwise);

}  // namespace mithril
