#include "mithril/passes/placements/expand_statistics.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/expression.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/passes/datum_hash.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

Expression cast_to(const Expression& value, DType dtype) {
  return value.dtype() == dtype ? value : call("cast", {value, Datum(dtype)});
}

class StatisticsExpansion {
  using Write = void (StatisticsExpansion::*)(const Node&);

 public:
  StatisticsExpansion(const GraphPart& part, const BatchRows& rows)
      : part_(part), from_(part.graph), rows_(rows) {
    writers_.reserve(part.nodes);
    for (size_t i = 0; i < part.nodes; ++i) writers_.push_back(writer_of(from_.nodes()[i]));
  }

  bool changes() const {
    return std::any_of(writers_.begin(), writers_.end(), [](Write write) { return write; });
  }

  Graph run() {
    rebuilder_.emplace(part_.graph, part_.values);
    const std::string prefix = unused_prefix(from_, statistics_prefix);
    for (size_t i = 0; i < writers_.size(); ++i) {
      const Node& node = from_.nodes()[i];
      const Write write = writers_[i];
      if (!write) {
        rebuilder_->keep(node);
        continue;
      }
      scope_ = prefix + "." + from_.value(node.outputs.front()).name;
      if (const Expansion* like = find_like(node, read_by(node))) {
        repeat(*like, node, read_by(node));
      } else {
        expand(node, write);
      }
    }
    return rebuilder_->finish(part_.outputs);
  }

 private:
  // The nodes of the new graph that a node became.
  struct Expansion {
    const Node* node;
    size_t begin, end;
    size_t first_value;          // the first that they make; all follow each other
    std::vector<ValueId> reads;  // values of the new graph, per argument that is a tensor
    std::vector<ValueId> makes;  // values of the new graph, per output
  };

  std::vector<ValueId> read_by(const Node& node) const {
    std::vector<ValueId> ids;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) ids.push_back(rebuilder_->map(*id));
    }
    return ids;
  }

  void expand(const Node& node, Write write) {
    Expansion& made = expansions_.emplace_back(Expansion{&node,
                                                         rebuilder_->graph().nodes().size(),
                                                         0,
                                                         rebuilder_->graph().values().size(),
                                                         read_by(node),
                                                         {}});
    (this->*write)(node);
    made.end = rebuilder_->graph().nodes().size();
    for (const ValueId id : node.outputs) made.makes.push_back(rebuilder_->map(id));
  }

  // The expansion of a node that differs only in the values that it reads.
  const Expansion* find_like(const Node& node, const std::vector<ValueId>& reads) const {
    const auto at =
        std::find_if(expansions_.begin(), expansions_.end(), [&](const Expansion& expansion) {
          return is_like(*expansion.node, node) && tells_apart(expansion.reads, reads);
        });
    return at == expansions_.end() ? nullptr : &*at;
  }

  // Whether the first values differ wherever the others do.
  static bool tells_apart(const std::vector<ValueId>& first, const std::vector<ValueId>& others) {
    for (size_t i = 0; i < first.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (first[i] == first[k] && others[i] != others[k]) return false;
      }
    }
    return true;
  }

  bool is_like(const Node& a, const Node& b) const {
    const auto equal = [&](const Argument& x, const Argument& y) {
      const ValueId *left = tensor_of(x), *right = tensor_of(y);
      if (!left && !right) return identical(std::get<Datum>(x), std::get<Datum>(y));
      return left && right && have_same_type(*left, *right);
    };
    return a.op == b.op &&
           std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                      b.arguments.end(), equal) &&
           std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                      [&](ValueId x, ValueId y) { return have_same_type(x, y); });
  }

  bool have_same_type(ValueId x, ValueId y) const {
    const Value &a = from_.value(x), &b = from_.value(y);
    return a.dtype == b.dtype && a.ranked && b.ranked &&
           std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                      [](const Dim& i, const Dim& j) { return same(i, j); });
  }

  // Copies the nodes, because inferring them takes longer.
  void repeat(const Expansion& like, const Node& node, const std::vector<ValueId>& reads) {
    Graph& graph = rebuilder_->graph();
    const size_t first_value = graph.values().size();
    const auto now = [&](ValueId id) {
      if (index(id) >= like.first_value)
        return static_cast<ValueId>(index(id) - like.first_value + first_value);
      const auto at = std::find(like.reads.begin(), like.reads.end(), id);
      MITHRIL_CHECK(at != like.reads.end(), "an expansion reads a value that its node does not");
      return reads[static_cast<size_t>(at - like.reads.begin())];
    };
    for (size_t i = like.begin; i < like.end; ++i) {
      Node copy = graph.nodes()[i];
      for (Argument& argument : copy.arguments) {
        if (ValueId* id = std::get_if<ValueId>(&argument)) *id = now(*id);
      }
      for (ValueId& id : copy.outputs) {
        Value value = graph.value(id);
        value.name = scope_ + "." + copy.op->name + "_" + std::to_string(graph.nodes().size());
        const ValueId added = graph.add_value(std::move(value));
        MITHRIL_CHECK(added == now(id), "an expansion makes its values in another order");
        id = added;
      }
      graph.add_node(std::move(copy));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i)
      rebuilder_->become(node.outputs[i], now(like.makes[i]));
  }

  // Null: the node stays.
  Write writer_of(const Node& node) const {
    if (node.op == &mean_)
      return reduces_rows(node, "input") ? &StatisticsExpansion::mean : nullptr;
    if (node.op == &variance_)
      return reduces_rows(node, "input") ? &StatisticsExpansion::variance : nullptr;
    if (node.op == &expand_reduced_) {
      const bool divides = !datum(node, "correction").is_none();
      return divides && reduces_rows(node, "like") ? &StatisticsExpansion::expand_reduced : nullptr;
    }
    if (node.op == &batch_norm_)
      return normalizes_rows(node) ? &StatisticsExpansion::batch_norm : nullptr;
    if (node.op == &batch_norm_grad_)
      return datum(node, "training").flag() && normalizes_rows(node)
                 ? &StatisticsExpansion::batch_norm_grad
                 : nullptr;
    return nullptr;
  }

  static const Datum& datum(const Node& node, const char* port) {
    return std::get<Datum>(node.arguments[node.argument_index(port)]);
  }
  const Value& value(const Node& node, const char* port) const {
    return from_.value(*tensor_of(node.arguments[node.argument_index(port)]));
  }

  bool reduces_rows(const Node& node, const char* port) const {
    const Value& input = value(node, port);
    return input.ranked && rows_.has(reduced_size(input, datum(node, "axis")));
  }
  bool normalizes_rows(const Node& node) const {
    const Value& input = value(node, "input");
    return input.ranked && rows_.has(group_size(input));
  }

  // The number of elements that one was reduced from.
  static Dim reduced_size(const Value& input, const Datum& axis) {
    const std::vector<bool> reduced = axis_set(axis, input.dims.size());
    Dim size = 1;
    for (size_t i = 0; i < reduced.size(); ++i) {
      if (reduced[i]) size = size * input.dims[i];
    }
    return resolve(size);
  }
  static Dim group_size(const Value& input) {
    Dim size = input.dims[0];
    for (size_t i = 2; i < input.dims.size(); ++i) size = size * input.dims[i];
    return resolve(size);
  }

  Expression expression(ValueId id) { return {&rebuilder_->graph(), id, &scope_}; }
  bool has(const Node& node, const char* port) const {
    return tensor_of(node.arguments[node.argument_index(port)]) != nullptr;
  }
  // The argument at the port in the dtype in which sums are taken.
  Expression input(const Node& node, const char* port) {
    const ValueId id = *tensor_of(node.arguments[node.argument_index(port)]);
    return cast_to(expression(rebuilder_->map(id)), wide(node));
  }
  DType wide(const Node& node) const {
    return opmath_dtype(from_.value(node.outputs.front()).dtype);
  }
  void become(const Node& node, size_t output, const Expression& now) {
    const ValueId old = node.outputs[output];
    rebuilder_->become(old, cast_to(now, from_.value(old).dtype).id);
  }

  void mean(const Node& node) {
    const Expression sum =
        call("sum", {input(node, "input"), datum(node, "axis"), datum(node, "keepdim")});
    become(node, 0, sum / Datum(reduced_size(value(node, "input"), datum(node, "axis"))));
  }

  // max(count - correction, 0)
  Expression divisor(const Expression& like, const Dim& count, const Datum& correction) {
    const Expression all = call_in(like, "to_tensor", {Datum(count), Datum(like.dtype())});
    if (correction.real() == 0) return all;
    return call("clamp", {all - Operand(correction.real()), 0.0});
  }

  void variance(const Node& node) {
    const Expression x = input(node, "input");
    const Datum &axis = datum(node, "axis"), &keepdim = datum(node, "keepdim");
    const Dim count = reduced_size(value(node, "input"), axis);
    const Expression distance = x - call("sum", {x, axis, true}) / Datum(count);
    const Expression squares = call("sum", {distance * distance, axis, keepdim});
    become(node, 0, squares / divisor(x, count, datum(node, "correction")));
  }

  void expand_reduced(const Node& node) {
    const Datum& axis = datum(node, "axis");
    const Expression x = input(node, "input");
    const Expression like = expression(rebuilder_->map(*tensor_of(node.arguments[1])));
    const Dim count = reduced_size(value(node, "like"), axis);
    const Expression share = x / divisor(x, count, datum(node, "correction"));
    become(node, 0,
           call("expand_reduced", {cast_to(share, from_.value(node.outputs[0]).dtype), like, axis,
                                   datum(node, "keepdim"), Datum()}));
  }

  // All axes but that of the channels.
  static Datum other_axes(const Expression& x) {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < x.dims().size(); ++i) {
      if (i != 1) axes.push_back(static_cast<int64_t>(i));
    }
    return Datum::ints(axes);
  }
  // One number for each channel, so that it broadcasts to the input.
  static Expression beside(const Expression& channels, const Expression& x) {
    std::vector<int64_t> axes;
    for (size_t i = 2; i < x.dims().size(); ++i) axes.push_back(static_cast<int64_t>(i) - 1);
    return axes.empty() ? channels : call("expand_dims", {channels, Datum::ints(axes)});
  }

  void batch_norm(const Node& node) {
    const Expression x = input(node, "input");
    const Datum axes = other_axes(x);
    const Dim count = group_size(value(node, "input"));
    const Expression mean = call("sum", {x, axes}) / Datum(count);
    const Expression distance = x - beside(mean, x);
    const Expression squares = call("sum", {distance * distance, axes});
    const double eps = datum(node, "eps").real(), share = datum(node, "momentum").real();
    const Expression rstd = 1.0 / call("sqrt", {squares / Datum(count) + eps});
    const Expression scale = has(node, "weight") ? rstd * input(node, "weight") : rstd;
    Expression result = distance * beside(scale, x);
    if (has(node, "bias")) result = result + beside(input(node, "bias"), x);
    const Expression all = call_in(x, "to_tensor", {Datum(count), Datum(x.dtype())});
    const Expression variance = squares / call("clamp", {all - 1.0, 1.0});
    const Expression any = call("greater", {all, 0.0});
    const auto moved = [&](const char* port, const Expression& of_batch) {
      const Expression old = input(node, port);
      return call("where", {any, old * (1 - share) + of_batch * share, old});
    };
    become(node, 0, result);
    become(node, 1, mean);
    become(node, 2, rstd);
    become(node, 3, moved("running_mean", mean));
    become(node, 4, moved("running_var", variance));
  }

  void batch_norm_grad(const Node& node) {
    const Expression grad = input(node, "grad"), x = input(node, "input");
    const Expression rstd = input(node, "rstd");
    const Datum axes = other_axes(x);
    const Expression unit = (x - beside(input(node, "mean"), x)) * beside(rstd, x);
    const Expression of_bias = call("sum", {grad, axes});
    const Expression of_weight = call("sum", {grad * unit, axes});
    const Datum count(group_size(value(node, "input")));
    const Expression shared = beside(of_bias / count, x) + unit * beside(of_weight / count, x);
    const Expression scale = has(node, "weight") ? rstd * input(node, "weight") : rstd;
    become(node, 0, (grad - shared) * beside(scale, x));
    become(node, 1, of_weight);
    become(node, 2, of_bias);
  }

  const OpDef& mean_ = find_op("mean");
  const OpDef& variance_ = find_op("variance");
  const OpDef& expand_reduced_ = find_op("expand_reduced");
  const OpDef& batch_norm_ = find_op("batch_norm_training");
  const OpDef& batch_norm_grad_ = find_op("batch_norm_grad");
  const GraphPart& part_;
  const Graph& from_;
  const BatchRows& rows_;
  std::optional<Rebuilder> rebuilder_;
  std::vector<Write> writers_;  // per node
  std::deque<Expansion> expansions_;
  std::string scope_;  // of the names of new values
};

}  // namespace

std::optional<Graph> expand_statistics(const GraphPart& part, const BatchRows& rows) {
  StatisticsExpansion expansion(part, rows);
  return expansion.changes() ? std::optional(expansion.run()) : std::nullopt;
}

}  // namespace mithril
