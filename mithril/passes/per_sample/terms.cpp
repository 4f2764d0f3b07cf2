#include "mithril/passes/per_sample/terms.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril {
namespace {

class Walk {
 public:
  Walk(const SampleCopy& copy, const std::vector<NodeId>& makers, ValueId gradient)
      : copy_(copy), makers_(makers) {
    found_.gradient = gradient;
  }

  ParameterTerms run() {
    const bool factored = walk(found_.gradient, false);
    if (!factored) found_.terms.clear();
    for (const ProductTerm& term : found_.terms) found_.length += length_of(term);
    find_sites(found_.gradient);
    std::sort(found_.sites.begin(), found_.sites.end());
    found_.sites.erase(std::unique(found_.sites.begin(), found_.sites.end()), found_.sites.end());
    found_.last = last_;
    return found_;
  }

 private:
  const Node& node(NodeId id) const { return copy_.node(id); }

  // False: a node on the way is not one of those that only move elements and add up.
  bool walk(ValueId id, bool transposed) {
    const NodeId maker = makers_[index(id)];
    if (maker == no_node || copy_.axis(id).kind != SampleAxis::Kind::sum) return false;
    if (copy_.reads_samples(maker)) return add(maker, transposed);
    const Node& made = node(maker);
    const auto same_dims = [&](const Argument& argument) {
      const ValueId* tensor = tensor_of(argument);
      return tensor && copy_.dims(*tensor) == copy_.dims(id);
    };
    const ValueId* first = tensor_of(made.arguments.front());
    if (made.op->name == "add") {
      return std::all_of(made.arguments.begin(), made.arguments.end(), same_dims) &&
             walk(*first, transposed) && walk(std::get<ValueId>(made.arguments[1]), transposed);
    }
    if (swaps_two(maker)) return copy_.dims(id).size() == 2 && walk(*first, !transposed);
    if (made.op->name == "cast") return walk(*first, transposed);
    if (made.op->keeps_elements)
      return (!transposed || same_dims(made.arguments.front())) && walk(*first, transposed);
    return false;
  }

  // Exchanges the axes of a matrix.
  bool swaps_two(NodeId id) const {
    const auto axis = [&](const Datum& datum) { return axis_of(datum.integer(), 2); };
    const std::string& op = node(id).op->name;
    if (op == "swapaxes") return axis(copy_.value(id, "axis1")) != axis(copy_.value(id, "axis2"));
    if (op != "transpose") return false;
    const Datum& axes = copy_.value(id, "axes");
    return axes.is_none() || (axes.kind() == kind::tuple && axis(axes.tuple().front()) == 1);
  }

  bool add(NodeId site, bool transposed) {
    std::optional<FactorDims> dims;
    ProductTerm term{.site = site, .transposed = transposed};
    const std::string& op = node(site).op->name;
    if (op == "matmul") dims = product_dims(term);
    if (op == "scatter_add") dims = lookup_dims(term);
    if (op == "conv2d_weight_grad") dims = window_dims(term);
    if (!dims || (!found_.terms.empty() && !(*dims == found_.dims))) return false;
    found_.dims = *dims;
    found_.terms.push_back(term);
    return true;
  }

  std::optional<FactorDims> product_dims(const ProductTerm& term) const {
    const ValueId left = copy_.argument(term.site, "left");
    const ValueId right = copy_.argument(term.site, "right");
    const Dims &a = copy_.dims(left), &b = copy_.dims(right);
    const size_t rank = a.size();
    const int64_t outer = copy_.axis(term.site, "left").outer;
    if (copy_.axis(term.site, "left") != SampleAxis::along(rank - 1, outer) || b.size() != rank ||
        copy_.axis(term.site, "right") != SampleAxis::along(rank - 2, outer) ||
        !std::equal(a.begin(), a.end() - 2, b.begin()) || (term.transposed && rank != 2))
      return std::nullopt;
    const FactorDims dims{product(a, 0, rank - 2), a[rank - 2], b[rank - 1]};
    return term.transposed ? FactorDims{dims.groups, dims.d, dims.p} : dims;
  }

  std::optional<FactorDims> lookup_dims(ProductTerm& term) const {
    term.form = ProductTerm::Form::lookup;
    const Dims& dims = copy_.dims(node(term.site).outputs.front());
    const bool rows = copy_.has(term.site, "index") && copy_.axis(term.site, "index").is_each() &&
                      copy_.axis(term.site, "input").is_each() && dims.size() == 2 &&
                      axis_of(copy_.value(term.site, "axis").integer(), 2) == 0;
    if (!rows || term.transposed) return std::nullopt;
    return FactorDims{1, dims[0], dims[1]};
  }

  std::optional<FactorDims> window_dims(ProductTerm& term) const {
    term.form = ProductTerm::Form::windows;
    const bool each =
        copy_.axis(term.site, "grad").is_each() && copy_.axis(term.site, "input").is_each();
    if (!each || term.transposed) return std::nullopt;
    const Dims& dims = copy_.dims(node(term.site).outputs.front());
    const int64_t groups = copy_.value(term.site, "groups").integer();
    return FactorDims{groups, dims[0] / groups, product(dims, 1, 4)};
  }

  // The number of products that one sample adds up.
  int64_t length_of(const ProductTerm& term) const {
    if (term.form == ProductTerm::Form::product) {
      const Dims& dims = copy_.dims(copy_.argument(term.site, "left"));
      return dims.back() / copy_.samples();
    }
    if (term.form == ProductTerm::Form::lookup)
      return element_count(copy_.dims(copy_.argument(term.site, "index"))) / copy_.samples();
    const Dims& grad = copy_.dims(copy_.argument(term.site, "grad"));
    return grad[0] / copy_.samples() * grad[2] * grad[3];
  }

  void find_sites(ValueId id) {
    const NodeId maker = makers_[index(id)];
    if (maker == no_node || copy_.axis(id).kind != SampleAxis::Kind::sum) return;
    if (last_ < maker) last_ = maker;
    if (copy_.reads_samples(maker)) {
      found_.sites.push_back(maker);
      return;
    }
    for (const Argument& argument : node(maker).arguments) {
      if (const ValueId* tensor = tensor_of(argument)) find_sites(*tensor);
    }
  }

  const SampleCopy& copy_;
  const std::vector<NodeId>& makers_;
  ParameterTerms found_;
  NodeId last_ = no_node;
};

}  // namespace

std::vector<NodeId> makers_of(const Graph& graph) {
  std::vector<NodeId> makers(graph.values().size(), no_node);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    for (const ValueId id : graph.nodes()[i].outputs) makers[index(id)] = static_cast<NodeId>(i);
  }
  return makers;
}

ParameterTerms find_terms(const SampleCopy& copy, const std::vector<NodeId>& makers,
                          ValueId gradient) {
  return Walk(copy, makers, gradient).run();
}

}  // namespace mithril
