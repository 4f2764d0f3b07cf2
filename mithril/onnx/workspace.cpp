#include "mithril/onnx/workspace.hpp"

#include <algorithm>

#include "mithril/onnx/element_type.hpp"

namespace mithril::onnx {
namespace {

ShapeSpec spec_of(const Dims& dims) {
  return ShapeSpec(std::vector<DimSpec>(dims.begin(), dims.end()));
}

}  // namespace

Connection Workspace::connection(const Value& value) {
  if (value.connection) return *value.connection;
  if (value.sizes) {
    const std::vector<Binding> items = bindings_of(*value.sizes);
    const Binding datum = value.is_scalar ? items.front() : Binding(items);
    return apply("to_tensor", {datum, DType::int64});
  }
  if (value.is_weight && !only_constants_) return parameter(value);
  IOKey literal{.tensor = *value.known};
  if (!is_default(value.type)) literal.type = value.known->dtype();
  return apply("buffer", {Binding(literal)});
}

bool Workspace::is_default(ElementType type) const {
  return type == default_float_ || type == ElementType::int64 || type == ElementType::boolean;
}

PortType Workspace::port_type(ElementType type) const {
  return is_default(type) ? PortType(kind_of(type)) : PortType(*held_dtype(type));
}

Connection Workspace::parameter(const Value& value) {
  const std::string key = port_name(value.name);
  // Parameters in half precision are kept in the dtype of the backend: training needs it.
  const bool is_half = size_of(value.known->dtype()) == 2;
  if (!parameters_.contains(key)) {
    parameters_[key] = *value.known;
    static_cast<void>(model_.add_input(key));
    model_.set_shapes({{key, spec_of(value.known->dims())}});
    model_.set_types({{key, is_half ? PortType(kind::float_tensor) : port_type(value.type)}});
    if (value.is_frozen) {
      // The initializer keeps an input that is not differentiable from being data.
      model_.set_initializer(key, {.distribution = Initializer::Distribution::uniform_fan_in});
      model_.set_differentiability({{key, false}});
    }
  }
  return is_half ? exact(model_[key], value.type) : model_[key];
}

Connection Workspace::exact(const Connection& connection, ElementType type) const {
  return is_default(type) ? connection : connection.cast(*held_dtype(type));
}

std::string Workspace::port_name(const std::string& name) {
  const auto found = ports_.find(name);
  if (found != ports_.end()) return found->second;
  std::string port = name;
  std::replace(port.begin(), port.end(), '\0', '_');
  while (renamed_.contains(port)) port += "_";
  if (port != name) renamed_[port] = name;
  return ports_[name] = port;
}

}  // namespace mithril::onnx
