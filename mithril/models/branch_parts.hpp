// For models that choose between parts, or end with a condition.
#pragma once
#include <string>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// Inputs with a name of their own. The others keep their path in the part.
std::vector<std::string> named_inputs(const Model& part);

// Those that parts with inputs of the same name share. The parameters of a layer of the library are
// its own, although they have the names of its ports.
std::vector<std::string> shared_inputs(const Model& part);

// Whether evaluating the part changes a state, such as that of dropout.
bool keeps_state(const Model& part);

// ConnectionError E0138 for several outputs or none, TypeError E0402 and ShapeError E0206 for one
// that is known to be no scalar bool. `who`: the class of the model.
void check_condition(const Model& part, const std::string& who);

// ShapeError E0206 and TypeError E0402 for a carry whose next value is known to have another shape
// or type. Ops find what is known only later.
void check_carry(const std::string& key, const Connection& carry, const Connection& next);

// Adds the part, whose named inputs are inputs of the model, or `given` for their key, and returns
// its only output as a scalar bool.
Connection add_condition(Model& model, const Model& part, const Bindings& given);

}  // namespace mithril
