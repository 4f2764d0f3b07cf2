// Graphs as ONNX files, and their results after they are read back.
#pragma once

#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril::tests {

struct OnnxExport {
  std::string bytes;                  // of the file
  std::vector<std::string> problems;  // "op: why"; then there is no file
};

OnnxExport exported_to_onnx(const Graph& graph, std::int64_t opset = 20);

// The outputs of a file, as the CPU backend computes them in float64, in the order of the graph.
std::vector<Tensor> results_of_onnx(const std::string& path, const Graph& graph,
                                    const std::vector<Tensor>& inputs);

}  // namespace mithril::tests
