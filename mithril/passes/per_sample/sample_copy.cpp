#include "mithril/passes/per_sample/sample_copy.hpp"

#include <numeric>

#include "mithril/passes/rebuilder.hpp"

namespace mithril {

Dims dims_of(const Expression& x) {
  Dims dims;
  for (const Dim& dim : x.dims()) dims.push_back(resolve(dim).constant());
  return dims;
}

Expression reshaped(const Expression& x, const Dims& dims) {
  return dims_of(x) == dims ? x : call("reshape", {x, Datum::ints(dims)});
}

Expression permuted(const Expression& x, const std::vector<size_t>& order) {
  std::vector<int64_t> axes(order.begin(), order.end());
  return call("transpose", {x, Datum::ints(axes)});
}

Expression sliced(const Expression& x, int64_t from, int64_t to) {
  if (from == 0 && to == dims_of(x).front()) return x;
  return call("slice", {x, Datum::ints({from}), Datum::ints({to})});
}

Expression joined(const std::vector<Expression>& parts, int64_t axis) {
  if (parts.size() == 1) return parts.front();
  std::vector<Operand> operands(parts.begin(), parts.end());
  operands.emplace_back(Datum(axis));
  return call("concat", std::move(operands));
}

Expression summed(const Expression& x, const std::vector<size_t>& axes) {
  if (axes.empty()) return x;
  return call("sum", {x, Datum::ints({axes.begin(), axes.end()})});
}

Expression summed_rows(const Expression& x) {
  std::vector<size_t> axes(x.dims().size() - 1);
  std::iota(axes.begin(), axes.end(), size_t{1});
  return summed(x, axes);
}

Expression wide(const Expression& x) {
  const DType dtype = opmath_dtype(x.dtype());
  return x.dtype() == dtype ? x : call("cast", {x, Datum(dtype)});
}

SampleCopy::SampleCopy(Graph& to, const SampleSource& from, std::string prefix)
    : to_(to),
      from_(from),
      prefix_(std::move(prefix)),
      scope_(prefix_ + "per_sample"),
      map_(from.graph.values().size(), nowhere),
      dims_(from.plan.dims_of_values(from.graph)) {
  for (const Constant& constant : from.graph.constants()) {
    set(constant.value,
        to.add_constant(prefix_ + from.graph.value(constant.value).name, constant.tensor));
  }
}

const Datum& SampleCopy::value(NodeId id, std::string_view port) const {
  return from_.plan.nodes[index(id)].values[node(id).argument_index(port)];
}

ValueId SampleCopy::argument(NodeId id, std::string_view port) const {
  return std::get<ValueId>(node(id).arguments[node(id).argument_index(port)]);
}

bool SampleCopy::has(NodeId id, std::string_view port) const {
  return tensor_of(node(id).arguments[node(id).argument_index(port)]) != nullptr;
}

void SampleCopy::copy(NodeId id) {
  const Node& node = from_.graph.node(id);
  const PlannedNode& planned = from_.plan.nodes[index(id)];
  Node made{.op = node.op, .arguments = {}, .outputs = {}};
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    if (const ValueId* argument = tensor_of(node.arguments[i])) {
      made.arguments.emplace_back(map_[index(*argument)]);
    } else {
      made.arguments.emplace_back(planned.values[i]);
    }
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Value& old = from_.graph.value(node.outputs[i]);
    Value value{.name = prefix_ + old.name, .dims = {}, .dtype = old.dtype};
    for (const int64_t dim : planned.output_dims[i]) value.dims.emplace_back(dim);
    made.outputs.push_back(to_.add_value(std::move(value)));
    set(node.outputs[i], made.outputs.back());
  }
  to_.add_node(std::move(made));
}

bool SampleCopy::is_made(ValueId id) const { return map_[index(id)] != nowhere; }

Expression SampleCopy::at(ValueId id) const {
  MITHRIL_CHECK(is_made(id), "a value of a copy is used before it is made");
  return expression(map_[index(id)]);
}

bool SampleCopy::reads_samples(NodeId id) const {
  const auto& arguments = node(id).arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (tensor_of(arguments[i]) && axis(id, i).is_each()) return true;
  }
  return false;
}

Expression SampleCopy::lifted(ValueId value, const SampleAxis& axis) {
  const std::tuple key(value, axis.axis, axis.outer);
  const auto found = lifted_.find(key);
  if (found != lifted_.end()) return expression(found->second);
  const Dims& from = dims(value);
  const int64_t inner = from[axis.axis] / (axis.outer * samples());
  const auto at_axis = static_cast<std::ptrdiff_t>(axis.axis);
  // [before..., outer, samples, inner, after...]
  Dims split(from.begin(), from.begin() + at_axis);
  split.insert(split.end(), {axis.outer, samples(), inner});
  split.insert(split.end(), from.begin() + at_axis + 1, from.end());
  std::vector<size_t> order = {axis.axis + 1};
  for (size_t i = 0; i < split.size(); ++i) {
    if (i != axis.axis + 1) order.push_back(i);
  }
  Dims result = {samples()};
  result.insert(result.end(), from.begin(), from.end());
  result[axis.axis + 1] = axis.outer * inner;
  int64_t before = axis.outer;
  for (size_t i = 0; i < axis.axis; ++i) before *= from[i];
  Expression x = at(value);
  if (before != 1) x = permuted(reshaped(x, split), order);
  x = reshaped(x, result);
  lifted_.emplace(key, x.id);
  return x;
}

}  // namespace mithril
