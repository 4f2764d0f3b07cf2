// Adds nodes to a graph of ONNX, and computes the sizes that compiling left open.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/onnx/export/no_form.hpp"
#include "mithril/onnx/export/onnx_graph.hpp"

namespace mithril::onnx {

// A tensor of the graph of ONNX. The dims are those of the model, if they are known.
struct Operand {
  std::string name = {};  // "": left out
  DType dtype = DType::float32;
  std::optional<std::vector<Dim>> dims = {};

  bool is_missing() const { return name.empty(); }
  const std::vector<Dim>& known_dims() const;  // NoForm if the rank is not known
  std::int64_t rank() const { return static_cast<std::int64_t>(known_dims().size()); }
};

// The names of a file: each value and each node has its own.
class FileNames {
 public:
  // The name, or the name with a number.
  std::string add(const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> counts_;
};

class GraphBuilder {
 public:
  GraphBuilder(FileNames& names, std::int64_t opset) : names_(names), opset_(opset) {}

  std::int64_t opset() const { return opset_; }
  FileNames& names() { return names_; }
  WrittenGraph& graph() { return graph_; }

  // The nodes that follow help to make this value of the model, with an op of the model.
  void begin(const std::string& path, const std::string& source);

  // A node with one output, of the dtype of its first input unless it is given. NoForm if the opset
  // lacks the op.
  Operand call(const std::string& op, const std::vector<Operand>& inputs,
               Attributes attributes = {}, std::optional<DType> dtype = {});
  std::vector<Operand> call_several(const std::string& op, const std::vector<Operand>& inputs,
                                    Attributes attributes, std::vector<DType> dtypes);

  Operand constant(Tensor tensor);
  Operand number(double value, DType dtype);  // of rank 0
  Operand integers(const std::vector<std::int64_t>& numbers);
  Operand cast(const Operand& operand, DType dtype);  // the same if it has the dtype

  // From now on the sizes of this tensor can be read.
  void know(const std::vector<Dim>& dims, const std::string& name);
  Operand size(const Dim& dim);                 // int64 [1]
  Operand number(const Dim& dim, DType dtype);  // of rank 0
  Operand shape(const std::vector<Dim>& dims);  // int64 [dims.size()]
  Operand reshape(const Operand& operand, const std::vector<Dim>& dims);
  Operand expand(const Operand& operand, const std::vector<Dim>& dims);
  // A reduction over these axes, which are not negative.
  Operand reduce(const std::string& op, const Operand& operand,
                 const std::vector<std::int64_t>& axes, bool keepdims);

 private:
  struct Place {
    std::string value;
    std::size_t axis;
    std::int64_t factor, constant;  // the size is factor * symbol + constant
  };
  DType taken_dtype(const std::string& op, DType dtype) const;
  Operand symbol_size(Symbol* symbol);
  Operand compute_size(Symbol* symbol);

  FileNames& names_;
  const std::int64_t opset_;
  WrittenGraph graph_;
  std::string path_, source_;
  std::unordered_map<Symbol*, Place> places_;
  std::unordered_map<Symbol*, Operand> sizes_;
  std::set<Symbol*> open_;                    // whose sizes are being computed
  std::map<std::string, Operand> shapes_;     // the shapes of values, by name
  std::map<std::string, Operand> constants_;  // by dtype, dims and elements
};

}  // namespace mithril::onnx
