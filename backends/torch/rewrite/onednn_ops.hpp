// Records of private ops: products that torch's oneDNN kernels fuse with the following nodes. Only
// graphs inside the backend contain them.
#pragma once

#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

// linear and conv2d have additional ports: `addend` (added, with the dims of the output; optional),
// `activation` (oneDNN's name, "none"), `algorithm` (of the activation; empty if there is only
// one), `packed` (whether the weight is packed). matmul, whose right operand is a matrix, and
// conv2d_weight_grad have their usual ports.
const OpDef& onednn_linear();
const OpDef& onednn_conv2d();
const OpDef& onednn_matmul();
const OpDef& onednn_conv2d_weight_grad();

// The operator that packs the weight of such a node, and its arguments besides the weight.
struct Packing {
  ValueId weight;
  std::string operation;
  std::vector<Datum> arguments;
};
// For all nodes with packed weights.
std::vector<Packing> packings(const Graph& graph);

}  // namespace mithril::torch_backend
