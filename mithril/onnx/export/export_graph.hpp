// A graph of a model as a graph of ONNX.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/onnx/export/graph_builder.hpp"

namespace mithril::onnx {

// The names of sizes: each symbol has its own.
class SymbolNames {
 public:
  std::vector<StatedDim> stated(const std::vector<Dim>& dims);

 private:
  std::string text(const Dim& dim);
  std::string name_of(Symbol* symbol);

  std::map<Symbol*, std::string> names_;
  FileNames taken_;
};

struct GraphExport {
  std::int64_t opset = 20;
  // In the order of graph.inputs(): the elements of inputs that become initializers.
  std::vector<const Tensor*> initializers = {};
  std::vector<std::string> input_names = {};   // of graph.inputs()
  std::vector<std::string> output_names = {};  // of graph.outputs()
};

// Names of inputs and outputs stay. Each node that has no form is added to `problems`: its path,
// its op and the reason.
WrittenGraph export_graph(const Graph& graph, const GraphExport& how, std::vector<Fact>& problems);

}  // namespace mithril::onnx
