// Parts of a model as functions of a file.
#pragma once
#include "mithril/onnx/export/onnx_graph.hpp"

namespace mithril::onnx {

// The domain of the functions.
constexpr const char* part_domain = "mithril.parts";

// Puts the nodes of each outermost part in a function, which the graph calls: "block_1" has those
// of the value "block_1.attention.output". Parts of equal structure share a function. Nodes stay in
// the graph if a part has one alone, if one of them has a graph, or if a node between them reads a
// value of the part.
void make_functions(WrittenGraph& graph);

}  // namespace mithril::onnx
