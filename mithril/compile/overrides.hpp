// Facts that hold for one compile.
#pragma once

#include "mithril/compile/options.hpp"

namespace mithril {

// States the shapes, types and constants of the options. The caller has an Attempt open on the
// model's facts, which undoes it all.
void state_overrides(Composite& model, const CompileOptions& options);

}  // namespace mithril
