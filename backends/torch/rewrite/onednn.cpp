#include "backends/torch/rewrite/onednn.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "backends/torch/rewrite/onednn_ops.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::torch_backend {
namespace {

// The fewest elements of a linear weight for which packing pays off.
constexpr int64_t min_packed_elements = 1 << 17;

// The activations that oneDNN can apply to results.
struct Activation {
  std::string name = "none", algorithm = {};
};

std::optional<Activation> activation_of(const Node& node) {
  const std::string& name = node.op->name;
  if (name == "relu" || name == "sigmoid" || name == "tanh") return Activation{name};
  if (name != "gelu") return std::nullopt;
  const auto& approximate = std::get<Datum>(node.arguments[node.argument_index("approximate")]);
  return Activation{name, approximate.flag() ? "tanh" : "none"};
}

// A GEMM with a packed weight, and the nodes after it that it absorbs.
struct Chain {
  const Node* product;
  Argument addend = None{};
  Activation activation = {};
};

class UseOneDnn {
 public:
  UseOneDnn(const Graph& graph, const Observer* observer)
      : from_(graph), observer_(observer), rebuilder_(graph), use_counts_(use_counts(graph)) {
    for (const Constant& constant : graph.constants()) constants_.insert(constant.value);
    for (const Node& node : graph.nodes()) plan(node);
  }

  Graph run() {
    for (const Node& node : from_.nodes()) write(node);
    return rebuilder_.finish();
  }

 private:
  // Only with packed weights. Otherwise a graph might compute the same GEMM with and without the
  // activation, with different rounding.
  void plan(const Node& node) {
    if (is_product(node) && is_packed(node)) {
      chains_.emplace(node.outputs[0], Chain{&node});
    } else if (const auto activation = activation_of(node)) {
      take_along(node, 0, [&](Chain& chain) {
        chain.activation = *activation;
        const bool added = tensor_of(chain.addend);
        return !added || (chain.product->op == &conv2d_ && activation->name == "relu");
      });
    } else if (node.op == &add_) {
      const auto plus = [&](size_t other) {
        return [&, other](Chain& chain) {
          const ValueId* id = tensor_of(node.arguments[other]);
          if (!id || tensor_of(chain.addend) || !fits(*id, node.outputs[0])) return false;
          chain.addend = *id;
          return true;
        };
      };
      if (!take_along(node, 0, plus(1))) take_along(node, 1, plus(0));
    }
  }

  // Whether the chain that ends in this argument can absorb the node; `extend` decides.
  template <typename F>
  bool take_along(const Node& node, size_t argument, F extend) {
    const ValueId* input = tensor_of(node.arguments[argument]);
    const auto at = input ? chains_.find(*input) : chains_.end();
    if (at == chains_.end() || use_counts_[index(*input)] > 1) return false;
    if (at->second.activation.name != "none" || is_seen(*at->second.product)) return false;
    Chain longer = at->second;
    if (!extend(longer)) return false;
    taken_.insert(*input);
    chains_.erase(at);
    chains_.emplace(node.outputs[0], std::move(longer));
    return true;
  }

  bool is_seen(const Node& node) const { return observer_ && observer_->wants(node); }

  // Whether the value can be added to `sum`.
  bool fits(ValueId id, ValueId sum) const {
    const Value &a = from_.value(id), &b = from_.value(sum);
    return a.ranked && b.ranked && a.dtype == b.dtype && !a.dims.empty() &&
           std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                      [](const Dim& x, const Dim& y) { return same(x, y); });
  }

  bool is_product(const Node& node) const {
    return (node.op == &linear_ || node.op == &conv2d_) && all_float32(node);
  }

  // A convolution would reorder its weight in every call, whatever its size.
  bool is_packed(const Node& node) const {
    const ValueId weight = *tensor_of(node.arguments[1]);
    if (!constants_.contains(weight) || use_counts_[index(weight)] > 1) return false;
    int64_t size = 1;
    for (const Dim& dim : from_.value(weight).dims) size *= dim.constant();
    return size >= (node.op == &linear_ ? min_packed_elements : 1);
  }

  bool all_float32(const Node& node) const {
    return std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return !id || from_.value(*id).dtype == DType::float32;
    });
  }

  void write(const Node& node) {
    if (taken_.contains(node.outputs[0])) return;
    const auto chain = chains_.find(node.outputs[0]);
    if (chain != chains_.end()) return write_product(chain->second, true, node.outputs);
    if (node.op == &linear_ && all_float32(node)) {
      return write_product({&node}, false, node.outputs);
    }
    Node mapped = rebuilder_.map_arguments(node);
    if (node.op == &matmul_ && all_float32(node) && is_matrix(node.arguments[1])) {
      mapped.op = &onednn_matmul();
    }
    if (node.op == &weight_grad_ && all_float32(node)) mapped.op = &onednn_conv2d_weight_grad();
    rebuilder_.add(std::move(mapped), node.outputs);
  }

  // The product takes the position of the last node of the chain, where the addend is available.
  void write_product(const Chain& chain, bool packed, const std::vector<ValueId>& outputs) {
    Node mapped = rebuilder_.map_arguments(*chain.product);
    mapped.op = chain.product->op == &linear_ ? &onednn_linear() : &onednn_conv2d();
    const ValueId* addend = tensor_of(chain.addend);
    mapped.arguments.push_back(addend ? Argument(rebuilder_.map(*addend)) : Argument(None{}));
    mapped.arguments.emplace_back(Datum(chain.activation.name));
    mapped.arguments.emplace_back(Datum(chain.activation.algorithm));
    mapped.arguments.emplace_back(Datum(packed));
    rebuilder_.add(std::move(mapped), outputs);
  }

  bool is_matrix(const Argument& argument) const {
    const Value& value = from_.value(*tensor_of(argument));
    return value.ranked && value.dims.size() == 2;
  }

  const OpDef &linear_ = find_op("linear"), &conv2d_ = find_op("conv2d"), &add_ = find_op("add"),
              &matmul_ = find_op("matmul"), &weight_grad_ = find_op("conv2d_weight_grad");
  const Graph& from_;
  const Observer* observer_;
  Rebuilder rebuilder_;
  const std::vector<int> use_counts_;
  std::unordered_set<ValueId> constants_, taken_;
  std::unordered_map<ValueId, Chain> chains_;  // by the value that they make
};

}  // namespace

Graph use_onednn(const Graph& graph, const Observer* observer) {
  return UseOneDnn(graph, observer).run();
}

}  // namespace mithril::torch_backend
