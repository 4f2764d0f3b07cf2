// The nodes of a graph of a model as nodes of ONNX. Loops and branches are nodes with graphs.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/onnx/export/form.hpp"

namespace mithril::onnx {

class NodesWriter {
 public:
  // The name that a value has in the file. Without it, values have names of their own.
  using NameOf = std::function<std::string(ValueId)>;
  // Each node that has no form is added to `problems`: its path, its op and the reason.
  NodesWriter(const Graph& graph, GraphBuilder& builder, std::vector<Fact>& problems,
              NameOf name_of = {});

  // The tensors of graph.values(). `inputs`: those of graph.inputs().
  const std::vector<Operand>& write(const std::vector<Operand>& inputs);
  std::vector<Operand> outputs() const;

 private:
  void define(ValueId id, std::string name);
  void add(const Node& node);
  std::string renamed(const std::string& name, ValueId id, std::size_t first);

  std::vector<Operand> nested_results(const FormContext& context);
  std::vector<Operand> add_loop(const Node& node);
  std::vector<Operand> add_choice(const Node& node);
  std::vector<Operand> add_while(const Node& node);
  // The outputs of a graph whose nodes are added to a builder.
  std::vector<Operand> inlined(const Graph& graph, GraphBuilder& builder,
                               const std::vector<Operand>& inputs);
  std::vector<Operand> operands_of(const std::vector<ValueId>& ids) const;
  std::vector<DType> output_dtypes(const Node& node) const;

  const Graph& graph_;
  GraphBuilder& builder_;
  std::vector<Fact>& problems_;
  const NameOf name_of_;
  std::vector<Operand> operands_;
  std::set<std::string> named_;
};

}  // namespace mithril::onnx
