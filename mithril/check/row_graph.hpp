// A row as a graph of one node (or of its expansion), with known, symbolic or unknown sizes of its
// inputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::check {

// The knowledge of a graph about the dims of its inputs.
enum class Knowledge : unsigned char {
  numbers,
  shared_symbols,  // equal sizes are one symbol, 1 stays a number: everything still follows from
                   // them
  symbols,         // every dim of every input is a symbol of its own
  nothing,         // not even ranks
};
std::string_view name(Knowledge knowledge);

struct RowGraph {
  Graph graph;
  std::vector<std::string> ports;   // per graph input, the op's port; the value's name is it, or
                                    // "<port>_<item>" of a list
  std::vector<TensorSpec> tensors;  // per graph input
};

// Verified. Errors as of inference. Inputs of float64 become inputs of `floats`.
RowGraph build(const OpDef& op, const OpCase& row, Knowledge knowledge = Knowledge::numbers,
               DType floats = DType::float64);

// The values that have gradients: the float64 outputs, and the float64 inputs of ports that are not
// held.
std::vector<std::string> float_outputs(const Graph& graph);
std::vector<std::string> float_inputs(const RowGraph& built, const std::vector<std::string>& held);

// The content of each port, in port order; ports left out have their defaults, list ports no
// items. std::invalid_argument for a port that the op lacks, that is given twice, or that is left
// out without a default.
std::vector<PortContent> contents(const OpDef& op, const OpCase& row);

// The dims of a described tensor in a graph. Symbols are created in `facts`; with
// Knowledge::shared_symbols equal sizes share a symbol through `shared`.
std::vector<Dim> dims_of(const TensorSpec& spec, Knowledge knowledge, Facts& facts,
                         std::vector<Dim>& shared);

// Compares the inferred dims of the outputs with the evaluated ones: the first difference, or an
// empty string. With `all`, dims that the symbols do not determine are wrong, too.
std::string output_dims_difference(const Graph& graph, const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& outputs, bool all);

}  // namespace mithril::check
