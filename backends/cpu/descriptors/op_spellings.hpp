// What records spell, parsed once in a process.
#pragma once

#include "mithril/op/formula.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Null where the record spells no expression for C.
const Formula* formula_of(const OpDef& op);
// Null where it spells no kernel for this backend.
const SpelledExpression* kernel_of(const OpDef& op);

}  // namespace mithril::cpu_backend
