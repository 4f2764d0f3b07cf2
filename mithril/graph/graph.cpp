#include "mithril/graph/graph.hpp"

#include "mithril/base/interrupt.hpp"
#include "mithril/base/names.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {

size_t Node::argument_index(std::string_view port) const {
  size_t at = 0;
  for (const PortDef& def : op->inputs) {
    if (def.name == port) return at;
    at += def.list ? list_size() : 1;
  }
  faulty_record(*op, "there is no input '" + std::string(port) + "'");
}

size_t Node::list_size() const {
  return op->list_input() < 0 ? 0 : arguments.size() + 1 - op->inputs.size();
}

Graph::Graph() : facts_(std::make_shared<Facts>()) {}

void Graph::reserve(size_t values, size_t nodes) {
  values_.reserve(values);
  nodes_.reserve(nodes);
}

void Graph::add_node(Node node) { nodes_.push_back(std::move(node)); }

void Graph::restate(ValueId id, Value value) { values_[index(id)] = std::move(value); }

ValueId Graph::add_value(Value value) {
  check_interrupt();  // every builder of graphs adds values one by one
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

ValueId Graph::add_input(Value value) {
  inputs_.push_back(add_value(std::move(value)));
  return inputs_.back();
}

ValueId Graph::add_constant(std::string name, Tensor tensor) {
  Value value{.name = std::move(name), .dims = {}, .dtype = tensor.dtype()};
  for (const int64_t dim : tensor.dims()) value.dims.emplace_back(dim);
  const ValueId id = add_value(std::move(value));
  constants_.push_back({id, std::move(tensor)});
  return id;
}

void Graph::add_output(std::string name, ValueId value) {
  outputs_.push_back({std::move(name), value});
}

void Graph::keep_outputs(size_t count) {
  MITHRIL_CHECK(count <= outputs_.size(), "the graph has fewer outputs");
  outputs_.erase(outputs_.begin() + static_cast<std::ptrdiff_t>(count), outputs_.end());
}

void Graph::truncate(size_t values, size_t nodes) {
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(values), values_.end());
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(nodes), nodes_.end());
  while (!constants_.empty() && index(constants_.back().value) >= values) constants_.pop_back();
}

ValueId Graph::id_of(std::string_view name) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].name == name) return static_cast<ValueId>(i);
  }
  std::vector<std::string> names;
  for (const Value& value : values_) names.push_back(value.name);
  unknown_name(ErrorKind::name, "E0601", "value", name, "", names);
}

}  // namespace mithril
