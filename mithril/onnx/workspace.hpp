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
  // `default_float`: the element type of the backend's dtype. `only_constants`: weights become
  // constants of the model, and not parameters.
  explicit Workspace(ElementType default_float, bool only_constants = false)
      : default_float_(default_float), only_constants_(only_constants) {}

  Model& model() { return model_; }
  TensorMap& parameters() { return parameters_; }
  ElementType default_float() const { return default_float_; }

  // The value as a tensor of the model.
  Connection connection(const Value& value);
  // The type of a port that holds exactly these elements; only kinds where graphs give it the dtype
  // anyway.
  PortType port_type(ElementType type) const;
  // Casts to exactly this type, unless graphs give the connection that type anyway.
  Connection exact(const Connection& connection, ElementType type) const;
  // The port for a name of the file, which differs if no port can have that name.
  std::string port_name(const std::string& name);
  // Ports that differ from their names in the file: port -> name.
  std::map<std::string, std::string>& renamed() { return renamed_; }

 private:
  Connection parameter(const Value& value);
  bool is_default(ElementType type) const;

  Model model_;
  TensorMap parameters_;
  std::map<std::string, std::string> renamed_, ports_;
  ElementType default_float_;
  bool only_constants_;
};

}  // namespace mithril::onnx
