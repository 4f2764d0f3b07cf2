// Registers the built-in ops, in the order of list.inc.
#include "mithril/op/registry.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

#define MITHRIL_OP(name, model) OpDef define_##name();
#include "mithril/ops/list.inc"
#undef MITHRIL_OP

void define_builtin_ops();
void define_builtin_ops() {
#define MITHRIL_OP(name, model) add_op(define_##name(), #model);
#include "mithril/ops/list.inc"
#undef MITHRIL_OP
}

}  // namespace mithril
