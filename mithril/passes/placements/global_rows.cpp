#include "mithril/passes/placements/global_rows.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// For each process 1 if its rank is at least `from` and at most `to`, else 0.
Tensor ranks_between(int from, int to, int size) {
  Tensor tensor(DType::float64, {size});
  auto* elements = tensor.mutable_data<double>();
  for (int rank = from; rank <= to; ++rank) elements[rank] = 1;
  return tensor;
}

// A node of a collective, whose outputs have the dtypes and dims of its inputs.
std::vector<ValueId> add_collective(Graph& graph, const char* op,
                                    const std::vector<ValueId>& values, std::vector<Argument> more,
                                    const std::vector<std::string>& names) {
  Node node{&find_op(op), {values.begin(), values.end()}, {}};
  node.arguments.insert(node.arguments.end(), more.begin(), more.end());
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = graph.value(values[i]);
    value.name = names[i];
    node.outputs.push_back(graph.add_value(std::move(value)));
  }
  const std::vector<ValueId> outputs = node.outputs;
  graph.add_node(std::move(node));
  return outputs;
}

}  // namespace

std::vector<ValueId> start_all_reduce(Graph& graph, const std::vector<ValueId>& values,
                                      const PlacementOptions& options, Reduction reduction) {
  std::vector<std::string> names;
  for (const ValueId id : values) names.push_back(graph.value(id).name + ".started");
  return add_collective(graph, "all_reduce_start", values,
                        {Datum(options.group), Datum(std::string(name(reduction)))}, names);
}

std::vector<ValueId> wait_all_reduce(Graph& graph, const std::vector<ValueId>& started,
                                     const std::vector<std::string>& names) {
  return add_collective(graph, "all_reduce_wait", started, {}, names);
}

GlobalRows::GlobalRows(Graph& graph, const BatchRows& rows, const PlacementOptions& options,
                       const std::string& scope)
    : graph_(graph), rows_(rows), options_(options), scope_(scope) {
  batches_.resize(rows.sizes().size());
  const Expression own = constant("own", ranks_between(options.rank, options.rank, options.size));
  for (const Dim& size : rows.sizes()) local_.push_back((own * Datum(resolve(size))).id);
  started_ = start_all_reduce(graph, local_, options, Reduction::sum);
}

Expression GlobalRows::constant(const std::string& name, Tensor tensor) {
  return {&graph_, graph_.add_constant(scope_ + "." + name, std::move(tensor)), &scope_};
}

const Expression& GlobalRows::counts(size_t batch) {
  if (!batches_[batch].counts) {
    std::vector<std::string> names;
    for (size_t i = 0; i < started_.size(); ++i)
      names.push_back(scope_ + ".counts_" + std::to_string(i));
    const std::vector<ValueId> all = wait_all_reduce(graph_, started_, names);
    for (size_t i = 0; i < all.size(); ++i)
      batches_[i].counts = Expression{&graph_, all[i], &scope_};
  }
  return *batches_[batch].counts;
}

const Expression& GlobalRows::total(size_t batch) {
  if (!batches_[batch].total) batches_[batch].total = call("sum", {counts(batch)});
  return *batches_[batch].total;
}

const Expression& GlobalRows::first(size_t batch) {
  if (!batches_[batch].first) {
    const Expression below = constant("below_" + std::to_string(batch),
                                      ranks_between(0, options_.rank - 1, options_.size));
    const Expression sum = call("sum", {counts(batch) * below});
    batches_[batch].first = call("cast", {sum, Datum(DType::int64)});
  }
  return *batches_[batch].first;
}

Expression GlobalRows::number(const Dim& dim, DType dtype, const std::string& path) {
  const auto is_known = [&](const Number& number) {
    return number.dtype == dtype && same(number.dim, dim);
  };
  const auto known = std::find_if(numbers_.begin(), numbers_.end(), is_known);
  if (known != numbers_.end()) return {&graph_, known->value, &scope_};
  const std::optional<size_t> batch = rows_.batch_of(dim);
  const Dim none = rows_.with(dim, 0), one = rows_.with(dim, 1), two = rows_.with(dim, 2);
  const Dim each = resolve(one - none);
  if (!batch || !same(two - one, each)) {
    raise({.kind = ErrorKind::state,
           .code = "E0953",
           .path = path,
           .message = "the number " + to_string(dim) +
                      " does not grow evenly with the rows of a batch that processes share",
           .help = "use the number of rows itself"});
  }
  Expression result = total(*batch);
  if (!each.is_constant(1)) result = result * Datum(each);
  if (!none.is_constant(0)) result = result + Datum(none);
  if (dtype != DType::float64) result = call("cast", {result, Datum(dtype)});
  numbers_.push_back({dim, dtype, result.id});
  return result;
}

Expression GlobalRows::count(size_t batch) {
  return number(rows_.sizes()[batch], DType::int64, scope_);
}

}  // namespace mithril
