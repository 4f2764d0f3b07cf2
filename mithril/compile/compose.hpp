// A model as a graph, before a mode is chosen.
#pragma once

#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/options.hpp"

namespace mithril {

class SeveralBackends;

// The graph of the model with the facts and the outputs of the options; the model does not change.
// `several`: places the parts; null for one backend. Errors of compile about models and options.
FlatComposition compose(Composite& model, DType default_dtype, const CompileOptions& options,
                        SeveralBackends* several);

}  // namespace mithril
