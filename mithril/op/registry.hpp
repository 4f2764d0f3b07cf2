// The registry of ops by name: in the order of mithril/ops/list.inc, then ops of users.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

struct OpDef;  // op/op_def.hpp

// Finds an op by its name ("leaky_relu") or its model's ("LeakyRelu", in any case). NameError with
// the nearest names if there is none.
const OpDef& find_op(std::string_view name);
const OpDef* try_find_op(std::string_view name);  // null: none
// Registers a record, checked and compiled: ports named once, patterns that parse, eval or expand
// or only values, a gradient or the reason for none. The record stays at its address for the life
// of the process. NameError E0603 for a name that is taken; `replace` takes it from an op of a
// user, which stays in the models that have it. Thread-safe.
const OpDef& add_op(OpDef record, std::string model_name = {}, bool replace = false);
std::vector<const OpDef*> all_ops();

}  // namespace mithril
