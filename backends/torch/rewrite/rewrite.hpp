// A graph rewritten with private ops that only this backend runs.
#pragma once

#include "backends/torch/device/settings.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::torch_backend {

// `scripted`: for TorchScript. `observer`: the values that it wants stay; null: none.
Graph rewritten(Graph graph, const Settings& settings, bool scripted, const Observer* observer);

}  // namespace mithril::torch_backend
