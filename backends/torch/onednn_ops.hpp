// Records of ops that only this library knows: products that torch's oneDNN kernels do together
// with what comes after them. Graphs that it runs hold them, and no user meets them.
#pragma once

#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

// linear and conv2d with ports more: `addend` (added, of the output's dims; optional), `activation`
// (oneDNN's name, "none"), `algorithm` (of the activation; empty where it has only one), `packed`
// (whether the weight is). matmul is as it was, the right one a matrix, and so is
// conv2d_weight_grad.
const OpDef& onednn_linear();
const OpDef& onednn_conv2d();
const OpDef& onednn_matmul();
const OpDef& onednn_conv2d_weight_grad();

// What packs the weight of such a node: an operator, and what it is given besides the weight.
struct Packing {
  ValueId weight;
  std::string operation;
  std::vector<Datum> arguments;
};
// Of all nodes that want their weights packed.
std::vector<Packing> packings(const Graph& graph);

}  // namespace mithril::torch_backend
