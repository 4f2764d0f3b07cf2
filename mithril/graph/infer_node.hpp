// Two ways to infer a node: matching patterns with dims, which is fast, and the inference of
// models, which is complete.
#pragma once
#include <optional>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Empty if matching does not decide: an unknown rank, dims that may or may not be equal, a
// contradiction.
std::optional<std::vector<Value>> match_node(const Graph& graph, const Node& node);
// Uses scratch facts. Errors as in models.
std::vector<Value> infer_in_facts(const Graph& graph, const Node& node);

// How many tensors the list output of its op has.
size_t output_list_size(const Node& node);
// The dtype of output `item` of a node whose op mirrors its list input.
DType mirrored_dtype(const Graph& graph, const Node& node, size_t item);
// Whether both `outputs_from` and `dtype_from` of the op name one tuple. Its items (dtype, dims)
// are the outputs, which may have different dtypes.
bool states_outputs(const OpDef& op);
// The outputs of a node of such an op, without names.
std::vector<Value> stated_outputs(const Node& node);

}  // namespace mithril
