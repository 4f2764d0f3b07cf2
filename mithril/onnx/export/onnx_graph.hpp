// A graph of ONNX in memory, ready to be written.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mithril/onnx/file.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::onnx {

struct WrittenGraph;

// A graph is shared, because attributes are copied.
using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    Tensor, std::shared_ptr<const WrittenGraph>>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

struct WrittenNode {
  std::string op, name;
  std::vector<std::string> inputs, outputs;  // "" is one that is left out
  Attributes attributes;
  std::string path;         // of the value of the model that the node helps to make
  std::string source;       // the op of the model
  std::string domain = {};  // of a function of the file
};

struct WrittenFunction {
  std::string name;
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<WrittenNode> nodes = {};
};

struct WrittenValue {
  std::string name;
  DType dtype = DType::float32;
  bool is_ranked = true;
  std::vector<StatedDim> dims = {};
};

struct WrittenTensor {
  std::string name;
  Tensor tensor;
};

struct WrittenGraph {
  std::string name;
  std::vector<WrittenNode> nodes;
  std::vector<WrittenTensor> initializers;
  std::vector<WrittenValue> inputs, outputs, values;  // values: those between
  std::vector<WrittenFunction> functions = {};        // that nodes of the graph call
};

}  // namespace mithril::onnx
