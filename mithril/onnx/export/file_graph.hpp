// What a file computes: a graph of the model, the names of its ports, and the tensors in the file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril::onnx {

struct FileGraph {
  Graph graph;
  std::vector<std::string> input_names, output_names;  // of graph.inputs() and graph.outputs()
  // In the order of graph.inputs(): the elements of inputs that become initializers.
  std::vector<std::optional<Tensor>> initializers = {};
};

struct FileOptions {
  std::int64_t opset = 20;
  bool external_data = false;
  bool functions = false;  // whether parts become functions
};

// Every value of the graph becomes an output.
void add_all_values(FileGraph& file);

// The outputs, as the reference computes them, in the order in which they are made. `inputs`: of
// those that are not initializers, by their names.
TensorMap reference_outputs(const FileGraph& file, const TensorMap& inputs);

// A copy of the file in which nodes read these values, by the names of outputs, and not the results
// of other nodes. The values are further inputs. Each output is then the result of one node.
FileGraph with_given_values(const FileGraph& file, const TensorMap& values);

// ValueError E1320 with all nodes that the opset cannot express, E1321 for an opset beside 13 to
// 24; InputError E0831 if the file cannot be written.
void write_file_graph(const FileGraph& file, const std::string& path, const FileOptions& options);

}  // namespace mithril::onnx
