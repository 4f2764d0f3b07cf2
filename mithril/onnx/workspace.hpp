// The model that grows while a graph is imported, and its parameters.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"
#include "mithril/onnx/fold_room.hpp"
#include "mithril/onnx/value.hpp"

namespace mithril::onnx {

// The inputs of the models of a branch, or of the parts of a loop, which share them.
class PartInputs {
 public:
  // A new key for an input: an identifier like the name.
  std::string add_key(const std::string& name);
  // The key of the input that has this value of the model around the part.
  std::string key_of(const Connection& outer, const std::string& name);
  // The values of the model around the part, by key.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::set<std::string> taken_;
  std::map<const Wire*, std::string> keys_;
  Bindings bindings_;
};

class Workspace {
 public:
  // `default_float`: the element type of the backend's dtype. `only_constants`: weights become
  // constants of the model, and not parameters.
  explicit Workspace(ElementType default_float, bool only_constants = false)
      : default_float_(default_float), only_constants_(only_constants) {}
  // The model of a part. It reads values of the model around it, also parameters, as inputs.
  Workspace(Workspace& around, PartInputs& inputs)
      : around_(&around),
        inputs_(&inputs),
        default_float_(around.default_float_),
        only_constants_(around.only_constants_) {}

  Model& model() { return model_; }
  const std::map<std::string, KnownTensor>& parameters() const { return parameters_; }
  ElementType default_float() const { return default_float_; }

  // The value as a tensor of the model.
  Connection connection(const Value& value);
  // The type of a port that holds exactly these elements; only kinds where graphs give it the dtype
  // anyway.
  PortType port_type(ElementType type) const;
  // The value of a workspace around this one, or of this one, as a value of this one.
  Value entered(const Value& value, const Workspace& home);
  // A new input of a part, with the element type and the known sizes of this value. Without its
  // first axis, it is an element of the value.
  Connection add_input(const std::string& key, const Connection& like, ElementType type,
                       bool is_element = false);
  // Casts to exactly this type, unless graphs give the connection that type anyway.
  Connection exact(const Connection& connection, ElementType type) const;
  // Whether a rule may still do this work for the constants of the model and of those around it.
  bool take(const Work& work);
  // Computes the connection, which depends on no input of the model, if there is room for the work.
  Connection as_constant(const Connection& connection);
  // The port for a name of the file, which differs if no port can have that name.
  std::string port_name(const std::string& name);
  // Ports that differ from their names in the file: port -> name.
  std::map<std::string, std::string>& renamed() { return renamed_; }

 private:
  Connection parameter(const Value& value);
  bool is_default(ElementType type) const;
  std::string parameter_key(const Value& value);
  Connection entry(const Connection& outer, const std::string& name, ElementType type);
  Size entry(const Size& size);

  Workspace* around_ = nullptr;
  PartInputs* inputs_ = nullptr;
  Model model_;
  std::map<std::string, KnownTensor> parameters_;
  std::map<std::string, std::string> renamed_, ports_;
  std::set<std::string> entered_;  // keys of inputs
  FoldRoom room_{32 << 20, 1 << 26};
  ElementType default_float_;
  bool only_constants_;
};

}  // namespace mithril::onnx
