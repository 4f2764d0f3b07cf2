// Compiles the shape and type patterns of a record into numbers.
#pragma once
#include <string>

#include "mithril/infer/kind.hpp"

namespace mithril {

struct OpDef;  // op/op_def.hpp

// InternalError naming op, port and pattern if one does not parse.
void compile_patterns(OpDef& op);

// "int|none" as a set of kinds of values.
Kinds value_kinds(const std::string& text);

}  // namespace mithril
