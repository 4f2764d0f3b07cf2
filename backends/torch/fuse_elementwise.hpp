// Fuses elementwise nodes of a program.
#pragma once

#include <string>

#include "backends/torch/kernel_device.hpp"
#include "backends/torch/program.hpp"

namespace mithril::torch_backend {

struct Fusion {
  std::size_t nodes = 0, kernels = 0;  // nodes that were fused, and the kernels that they became
  std::string why = {};  // why others run as operators of torch; empty: none was refused
};

// Groups of nodes whose results have the same dims become one node with one kernel each, and so
// does a node that torch spells as several operators. Nodes whose kernel cannot be compiled stay as
// they are. The order of nodes may change.
Fusion fuse_elementwise(const Graph& graph, Program& program, KernelDevice& device);

}  // namespace mithril::torch_backend
