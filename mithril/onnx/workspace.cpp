#include "mithril/onnx/workspace.hpp"

#include <algorithm>
#include <cctype>

#include "mithril/eval/interpreter.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril::onnx {
namespace {

ShapeSpec spec_of(const Dims& dims) {
  return ShapeSpec(std::vector<DimSpec>(dims.begin(), dims.end()));
}

bool is_equal(const KnownTensor& a, const KnownTensor& b) {
  if (a.is_same(b)) return true;
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  return a->raw_data() == b->raw_data() || identical(*a, *b);
}

}  // namespace

// Parts share inputs of the same name, and names with a dot would be those of inner parts.
std::string PartInputs::add_key(const std::string& name) {
  std::string key = name;
  for (char& c : key)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (key.empty() || std::isdigit(static_cast<unsigned char>(key.front()))) key.insert(0, "_");
  while (!taken_.insert(key).second) key += "_";
  return key;
}

std::string PartInputs::key_of(const Connection& outer, const std::string& name) {
  const auto found = keys_.find(outer.wire());
  if (found != keys_.end()) return found->second;
  const std::string key = add_key(name.empty() ? "value" : name);
  bindings_.emplace_back(key, outer);
  return keys_[outer.wire()] = key;
}

Connection Workspace::connection(const Value& value) {
  if (value.connection) return *value.connection;
  if (value.sizes) {
    const std::vector<Binding> items = bindings_of(*value.sizes);
    const Dims& dims = value.dims_of_sizes;
    const Binding datum = dims.empty() ? items.front() : Binding(items);
    const Connection made = apply("to_tensor", {datum, DType::int64});
    const std::vector<Binding> shape(dims.begin(), dims.end());
    return exact(dims.size() > 1 ? made.reshape(shape) : made, value.type);
  }
  if (value.is_weight && !only_constants_) return parameter(value);
  IOKey literal{.tensor = *value.known};
  if (!is_default(value.type)) literal.type = value.known.dtype();
  return apply("buffer", {Binding(literal)});
}

bool Workspace::is_default(ElementType type) const {
  return type == default_float_ || type == ElementType::int64 || type == ElementType::boolean;
}

PortType Workspace::port_type(ElementType type) const {
  return is_default(type) ? PortType(kind_of(type)) : PortType(*held_dtype(type));
}

Value Workspace::entered(const Value& value, const Workspace& home) {
  if (this == &home) return value;
  Value made = around_->entered(value, home);
  for (Value& item : made.items) item = entered(item, *around_);
  if (made.connection) made.connection = entry(*made.connection, made.name, made.type);
  if (made.sizes)
    for (Size& size : *made.sizes) size = entry(size);
  return made;
}

Connection Workspace::entry(const Connection& outer, const std::string& name, ElementType type) {
  const std::string key = inputs_->key_of(outer, name);
  return entered_.contains(key) ? model_[key] : add_input(key, outer, type);
}

Size Workspace::entry(const Size& size) {
  const auto* outer = std::get_if<Connection>(&size);
  if (!outer) return size;
  const std::string key = inputs_->key_of(*outer, "size");
  if (entered_.insert(key).second) {
    static_cast<void>(model_.add_input(key));
    model_.set_types({{key, kind::int_value}});
  }
  return model_[key];
}

Connection Workspace::add_input(const std::string& key, const Connection& like, ElementType type,
                                bool is_element) {
  entered_.insert(key);
  static_cast<void>(model_.add_input(key));
  model_.set_types({{key, port_type(type)}});
  const KnownShape shape = like.known_shape();
  if (shape.rank()) {
    std::vector<DimSpec> dims;
    for (std::size_t axis = is_element ? 1 : 0; axis < *shape.rank(); ++axis) {
      const auto number = shape.head()[axis].number();
      dims.push_back(number ? DimSpec(*number) : DimSpec(Any{}));
    }
    model_.set_shapes({{key, ShapeSpec(std::move(dims))}});
  }
  return model_[key];
}

// Values in the bodies of functions and loops may have one name and different elements.
std::string Workspace::parameter_key(const Value& value) {
  std::string name = value.name;
  while (true) {
    const std::string key = port_name(name);
    const auto found = parameters_.find(key);
    if (found == parameters_.end() || is_equal(found->second, value.known)) return key;
    name += "_";
  }
}

Connection Workspace::parameter(const Value& value) {
  if (around_) return entry(around_->connection(value), value.name, value.type);
  const std::string key = parameter_key(value);
  // Parameters in half precision are kept in the dtype of the backend: training needs it.
  const bool is_half = size_of(value.known.dtype()) == 2;
  if (!parameters_.contains(key)) {
    parameters_[key] = value.known;
    static_cast<void>(model_.add_input(key));
    model_.set_shapes({{key, spec_of(value.known.dims())}});
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

bool Workspace::take(const Work& work) { return around_ ? around_->take(work) : room_.take(work); }

Connection Workspace::as_constant(const Connection& connection) {
  const Model model = Model::create({{"output", apply("buffer", {connection})}});
  const Graph graph = expand_ops(flatten(model, *held_dtype(default_float_)).graph);
  if (!take(work_of(graph))) return connection;
  return apply("buffer", {Binding(Interpreter(graph).run({}).front())});
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
