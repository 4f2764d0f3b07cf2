#include "backends/cpu/rewrite/join_slice_gradients.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/infer/item_range.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/ops/support/slice_ports.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::cpu_backend {
namespace {

bool is_constant_int(const Datum& datum) {
  return datum.kind() == kind::int_value && resolve(datum.dim()).is_constant();
}

bool has_known_bounds(const Slice& slice) {
  const auto is_known = [](const Datum& at) { return at.is_none() || is_constant_int(at); };
  return is_known(slice.start) && is_known(slice.stop) && is_known(slice.step);
}

class JoinSliceGradients {
 public:
  explicit JoinSliceGradients(const Graph& graph)
      : from_(graph), rebuilder_(graph), use_counts_(use_counts(graph)) {
    for (const Node& node : graph.nodes()) {
      if (node.op == &gradient_) {
        if (auto sum = sum_of_gradient(node)) sums_.emplace(node.outputs.front(), *std::move(sum));
      } else if (node.op == &add_) {
        if (auto sum = sum_of_sums(node)) sums_.emplace(node.outputs.front(), *std::move(sum));
      }
    }
    std::erase_if(
        sums_, [&](const auto& at) { return at.second.parts.size() < 2 || !is_whole(at.second); });
  }

  bool changes() const { return !sums_.empty(); }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const auto at = sums_.find(node.outputs.front());
      at == sums_.end() ? rebuilder_.keep(node) : join(node, at->second);
    }
    return rebuilder_.finish();
  }

 private:
  // A gradient of items [first, last) of the axis.
  struct Part {
    int64_t first, last;
    ValueId gradient;
  };
  struct Sum {
    size_t axis;
    int64_t size;  // of the axis
    ValueId like;
    std::vector<Part> parts;  // in the order of the items
  };

  const Datum& datum(const Node& node, const char* port) const {
    return std::get<Datum>(node.arguments[node.argument_index(port)]);
  }

  std::optional<Sum> sum_of_gradient(const Node& node) const {
    const ValueId input = *tensor_of(node.arguments[node.argument_index("input")]);
    const Value& made = from_.value(node.outputs.front());
    const ValueId* like = tensor_of(node.arguments[node.argument_index("like")]);
    if (!made.ranked || !like) return std::nullopt;
    const auto slices =
        slices_of(datum(node, "starts"), datum(node, "stops"), datum(node, "steps"));
    const Datum& axes = datum(node, "axes");
    std::optional<Sum> sum;
    for (size_t i = 0; i < slices.size(); ++i) {
      const Slice& slice = slices[i];
      if (slice.start.is_none() && slice.stop.is_none() && slice.step.is_none()) continue;
      const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), made.dims.size());
      const Dim size = resolve(made.dims[axis]);
      if (sum || !size.is_constant() || !has_known_bounds(slice)) return std::nullopt;
      const ItemRange range = range_of(slice, size.constant());
      if (range.step != 1 || range.count == 0) return std::nullopt;
      sum = Sum{axis, size.constant(), *like, {{range.start, range.start + range.count, input}}};
    }
    return sum;
  }

  std::optional<Sum> sum_of_sums(const Node& node) const {
    const ValueId *left = tensor_of(node.arguments[0]), *right = tensor_of(node.arguments[1]);
    if (!left || !right) return std::nullopt;
    const auto a = sums_.find(*left), b = sums_.find(*right);
    if (a == sums_.end() || b == sums_.end()) return std::nullopt;
    if (use_counts_[index(*left)] > 1 || use_counts_[index(*right)] > 1) return std::nullopt;
    Sum sum = a->second;
    if (sum.axis != b->second.axis || sum.like != b->second.like) return std::nullopt;
    sum.parts.insert(sum.parts.end(), b->second.parts.begin(), b->second.parts.end());
    std::sort(sum.parts.begin(), sum.parts.end(),
              [](const Part& x, const Part& y) { return x.first < y.first; });
    for (size_t i = 1; i < sum.parts.size(); ++i) {
      if (sum.parts[i - 1].last > sum.parts[i].first) return std::nullopt;
    }
    return sum;
  }

  static bool is_whole(const Sum& sum) {
    int64_t items = 0;
    for (const Part& part : sum.parts) items += part.last - part.first;
    return items == sum.size;
  }

  void join(const Node& node, const Sum& sum) {
    std::vector<Argument> arguments;
    for (const Part& part : sum.parts) arguments.emplace_back(rebuilder_.map(part.gradient));
    arguments.emplace_back(Datum(static_cast<int64_t>(sum.axis)));
    const std::string& name = from_.value(node.outputs.front()).name;
    const ValueId made =
        rebuilder_.graph().add(find_op("concat"), std::move(arguments), name + ".joined").front();
    rebuilder_.become(node.outputs.front(), made);
  }

  const OpDef &gradient_ = find_op("slice_grad"), &add_ = find_op("add");
  const Graph& from_;
  Rebuilder rebuilder_;
  const std::vector<int> use_counts_;
  std::unordered_map<ValueId, Sum> sums_;  // the key is the value of the sum
};

}  // namespace

Graph join_slice_gradients(Graph graph) {
  JoinSliceGradients pass(graph);
  if (!pass.changes()) return graph;
  return pass.run();
}

}  // namespace mithril::cpu_backend
