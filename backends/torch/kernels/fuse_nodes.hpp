// Fuses nodes of a program into kernels: elementwise ones, and those that reduce rows.
#pragma once

#include <string>

#include "backends/torch/device/kernel_device.hpp"
#include "backends/torch/program/program.hpp"

namespace mithril::torch_backend {

struct Fusion {
  std::size_t nodes = 0, kernels = 0;  // nodes that were fused, and the kernels that they became
  std::string why = {};  // why others run as operators of torch; empty: none was refused
};

// Fuses each group of nodes that may share a kernel (kernel_rules.hpp) into one node. A single node
// is fused if torch spells it as several operators. Nodes whose kernel cannot be compiled stay as
// they are. The order of nodes may change.
Fusion fuse_nodes(const Graph& graph, TorchProgram& program, KernelDevice& device);

}  // namespace mithril::torch_backend
