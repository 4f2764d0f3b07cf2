// The model that grows while a graph is imported, and its parameters.
#pragma once
#include <map>
#include <string>

#include "mithril/model/model.hpp"
#include "mithril/onnx/value.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril::onnx {

class Workspace {
 public:
  // `default_float`: the type of floats in the dtype of the backend. Constants: known elements
  // become constants of the model, never parameters.
  explicit Workspace(ElementType default_float, bool only_constants = false)
      : default_float_(default_float), only_constants_(only_constants) {}

  Model& model() { return model_; }
  TensorMap& parameters() { return parameters_; }
  ElementType default_float() const { return default_float_; }

  // The value as a tensor of the model.
  Connection connection(const Value& value);
  // Converted to exactly this type; itself if graphs give it that type anyway.
  Connection exact(const Connection& connection, ElementType type) const;
  // Renames what a name of a port cannot be.
  std::string port_name(const std::string& name);
  // The names in the file that are not the names of ports: port -> name.
  std::map<std::string, std::string>& renamed() { return renamed_; }

 private:
  Connection parameter(const Value& value);

  Model model_;
  TensorMap parameters_;
  std::map<std::string, std::string> renamed_, ports_;
  ElementType default_float_;
  bool only_constants_;
};

}  // namespace mithril::onnx
