// The formulas and kernel calls of op records, parsed once per process.
#pragma once

#include "mithril/op/formula.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Null if the record has no C formula.
const Formula* formula_of(const OpDef& op);
// Null if the record names no kernel of this backend.
const SpelledExpression* kernel_of(const OpDef& op);

}  // namespace mithril::cpu_backend
