#include "backends/cpu/fusion/elementwise_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "backends/cpu/elementwise/elementwise_dtype.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

class ElementwiseRules {
 public:
  ElementwiseRules(const ShapedGraph& shaped, const std::vector<bool>& alone)
      : shaped_(shaped), producers_(shaped.producers()), dtypes_(shaped.node_count()) {
    for (size_t i = 0; i < shaped.node_count(); ++i) {
      if (!alone[i]) dtypes_[i] = dtype_in_program(i);
    }
  }

  NodeGroups groups() const {
    return group_nodes(producers_,
                       {.may_merge = [this](Nodes from, Nodes to, size_t producer, size_t node) {
                         return dtypes_[node] && dtypes_[producer] == dtypes_[node] &&
                                shaped_.dims(shaped_.node(producer).outputs.front()) ==
                                    shaped_.dims(shaped_.node(node).outputs.front()) &&
                                !reads_rounded(from, to) && !reads_rounded(to, from);
                       }});
  }

 private:
  using Nodes = std::span<const size_t>;

  std::optional<DType> dtype_in_program(size_t node) const {
    const auto dtype = elementwise_dtype(shaped_, node);
    const size_t nodes[] = {node};
    return dtype && make_elementwise_program(shaped_, nodes, shaped_.node(node).outputs)
               ? dtype
               : std::nullopt;
  }

  // Whether a node of `to` reads a result of `from` that is rounded to 16 bits.
  bool reads_rounded(Nodes from, Nodes to) const {
    return std::any_of(to.begin(), to.end(), [&](size_t node) {
      return std::any_of(producers_[node].begin(), producers_[node].end(), [&](size_t producer) {
        return std::binary_search(from.begin(), from.end(), producer) &&
               is_rounded(shaped_, producer);
      });
    });
  }

  const ShapedGraph& shaped_;
  std::vector<std::vector<size_t>> producers_;  // per node
  std::vector<std::optional<DType>> dtypes_;    // per node; none: it is not fused
};

}  // namespace

NodeGroups fuse_elementwise(const LoweringContext& context) {
  const ShapedGraph& shaped = context.shaped;
  std::vector<bool> alone;
  for (size_t i = 0; i < shaped.node_count(); ++i) {
    alone.push_back(!context.config.fuse || shaped.node(i).op->keeps_elements ||
                    context.is_observed(i));
  }
  return ElementwiseRules(shaped, alone).groups();
}

std::string to_string(const NodeGroups& groups, const ShapedGraph& shaped) {
  std::string text;
  for (const std::vector<size_t>& group : groups) {
    if (group.empty()) continue;
    text += "group:";
    for (const size_t node : group) {
      const Node& at = shaped.node(node);
      text += fmt::format(" {} = {}{}", shaped.graph().value(at.outputs.front()).name, at.op->name,
                          node == group.back() ? "\n" : ";");
    }
  }
  return text;
}

}  // namespace mithril::cpu_backend
