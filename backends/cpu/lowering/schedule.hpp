// The order in which groups of nodes run.
#pragma once

#include <span>

#include "backends/cpu/fusion/elementwise_groups.hpp"

namespace mithril::cpu_backend {

// Sorts the groups topologically, close to the order of the graph, and drops empty ones. Where
// possible, consumers of a donated input run before the group that overwrites it, and that group
// runs as soon as its inputs are made. A collective starts as soon as its inputs are made, and is
// waited for when no other group can run; groups that overwrite donated inputs run after the last
// wait.
NodeGroups schedule(const ShapedGraph& shaped, NodeGroups groups,
                    std::span<const DonatedBuffer> donated);

}  // namespace mithril::cpu_backend
