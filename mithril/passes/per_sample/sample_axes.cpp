#include "mithril/passes/per_sample/sample_axes.hpp"

#include <algorithm>
#include <cstddef>

#include "mithril/graph/cond_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

using Axes = std::vector<SampleAxis>;

// Bounds of the search for a reading of a node's arguments.
constexpr size_t most_views = 4, most_readings = 64;

// Whether all parts of the tensor along the axis are equal.
bool is_alike_along(const Tensor& tensor, size_t axis) {
  const Dims& dims = tensor.dims();
  const auto at = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto before = static_cast<size_t>(element_count(Dims(dims.begin(), at)));
  const auto count = static_cast<size_t>(*at);
  if (tensor.size() == 0) return true;
  const size_t width = tensor.bytes() / before / count;
  const auto* bytes = static_cast<const std::byte*>(tensor.raw_data());
  for (size_t i = 0; i < before * count; ++i) {
    if (!std::equal(bytes + i * width, bytes + (i + 1) * width, bytes + i / count * count * width))
      return false;
  }
  return true;
}

// Whether the elements are 0, 1, ..., batch - 1.
bool holds_numbers(const Tensor& tensor, int64_t batch) {
  if (is_floating(tensor.dtype()) || tensor.dtype() == DType::boolean || tensor.size() != batch)
    return false;
  for (int64_t i = 0; i < batch; ++i) {
    if (tensor.at_as_double(i) != static_cast<double>(i)) return false;
  }
  return true;
}

Axes views_of(const Tensor& tensor, int64_t batch) {
  Axes views;
  for (size_t axis = 0; axis < tensor.dims().size(); ++axis) {
    const int64_t size = tensor.dims()[axis];
    if (!spans_batch(size, batch)) continue;
    if (is_alike_along(tensor, axis)) {
      for (const SampleAxis& view : alike_along(axis, size, batch)) views.push_back(view);
    } else if (size == batch && holds_numbers(tensor, batch)) {
      views.push_back({.kind = SampleAxis::Kind::each, .axis = axis, .numbers = true});
    }
  }
  return views;
}

class Search {
  using Kind = SampleAxis::Kind;

 public:
  Search(const Graph& graph, const Plan& sizes, int64_t batch, const BatchInputs& inputs)
      : graph_(graph), sizes_(sizes), batch_(batch), distinct_(inputs.distinct) {
    const size_t count = graph.values().size();
    found_.axes.resize(count);
    found_.coupled_by.assign(count, -1);
    linear_.resize(count);
    dims_.resize(count);
    views_.resize(count);
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      dims_[index(graph.inputs()[i])] = sizes.inputs[i];
    }
    for (const Constant& constant : graph.constants()) {
      dims_[index(constant.value)] = constant.tensor.dims();
      add_views(constant.value, views_of(constant.tensor.host(), batch));
    }
    for (const ValueId id : inputs.data) found_.axes[index(id)] = SampleAxis::along(0);
    found_.axes[index(inputs.gradient)] = SampleAxis::along(0);
    linear_[index(inputs.gradient)] = true;
  }

  SampleAxes run() {
    for (size_t i = 0; i < graph_.nodes().size(); ++i) visit(static_cast<NodeId>(i));
    return std::move(found_);
  }

 private:
  // The arguments of a node whose elements it reads.
  struct Arguments {
    Axes axes;
    std::vector<Axes> views;  // per argument: other ways to read it
    std::vector<Dims> dims;
    std::vector<bool> read;  // not of `like`, whose dims alone count
    bool linear = false;
    int coupled_by = -1;
    bool is_coupled = false;  // an argument is, and has no views
    bool has(Kind kind) const {
      return std::any_of(axes.begin(), axes.end(),
                         [&](const SampleAxis& axis) { return axis.kind == kind; });
    }
  };

  Arguments arguments_of(const Node& node) const {
    Arguments arguments;
    std::vector<const PortDef*> ports;
    for (const PortDef& port : node.op->inputs)
      ports.insert(ports.end(), port.list ? node.list_size() : 1, &port);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      const bool reads = id && ports[i]->name != "like";
      arguments.dims.push_back(id ? dims_[index(*id)] : Dims{});
      arguments.axes.push_back(reads ? found_.of(*id) : SampleAxis{});
      arguments.views.emplace_back();
      arguments.read.push_back(reads);
      if (!reads) continue;
      arguments.views.back() = views_[index(*id)];
      arguments.linear = arguments.linear || linear_[index(*id)];
      if (arguments.coupled_by < 0) arguments.coupled_by = found_.coupled_by[index(*id)];
      if (found_.of(*id).kind == Kind::coupled && arguments.views.back().empty())
        arguments.is_coupled = true;
    }
    return arguments;
  }

  // The other ways to read the arguments: all by their views, then combinations.
  static std::vector<Axes> readings(const Arguments& arguments) {
    std::vector<Axes> found, combined = {{}};
    size_t most = 0;
    for (const Axes& views : arguments.views) most = std::max(most, views.size());
    for (size_t view = 0; view < most; ++view) {
      Axes& axes = found.emplace_back(arguments.axes);
      for (size_t i = 0; i < axes.size(); ++i) {
        const Axes& views = arguments.views[i];
        if (!views.empty()) axes[i] = views[std::min(view, views.size() - 1)];
      }
    }
    for (size_t i = 0; i < arguments.axes.size() && most > 0; ++i) {
      Axes choices = arguments.views[i];
      if (arguments.axes[i].kind != Kind::coupled) choices.push_back(arguments.axes[i]);
      std::vector<Axes> longer;
      for (const Axes& start : combined) {
        for (const SampleAxis& choice : choices) {
          if (longer.size() == most_readings) break;
          longer.push_back(start);
          longer.back().push_back(choice);
        }
      }
      combined = std::move(longer);
    }
    if (most > 0) found.insert(found.end(), combined.begin(), combined.end());
    return found;
  }

  SampleContext context_of(NodeId id, const Axes& axes, const Arguments& arguments) const {
    const PlannedNode& planned = sizes_.nodes[index(id)];
    return SampleContext(*graph_.node(id).op, batch_, axes, planned.values, arguments.dims,
                         planned.output_dims);
  }

  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      dims_[index(node.outputs[i])] = sizes_.nodes[index(id)].output_dims[i];
    const Arguments arguments = arguments_of(node);
    for (const ValueId output : node.outputs) linear_[index(output)] = arguments.linear;
    if (arguments.is_coupled && mixes_only_condition(node))
      return couple(id, "its condition depends on several samples", true);
    if (arguments.is_coupled) return couple(node, arguments.coupled_by);
    if (arguments.has(Kind::sum)) {
      if (arguments.has(Kind::coupled)) return couple(node, arguments.coupled_by);
      if (arguments.has(Kind::each))
        return couple(id, "it joins samples with a sum over the batch", false);
      for (const ValueId output : node.outputs) found_.axes[index(output)] = {Kind::sum};
      return;
    }
    if (!arguments.has(Kind::each)) return visit_without_samples(id, arguments);
    visit_with_samples(id, arguments);
  }

  // No gradient flows to the condition of a choice. So a sample that has the same loss by itself as
  // in the batch has the same gradients, too. Such a condition is that of a choice in a vmap:
  // whether any index chooses the branch.
  bool mixes_only_condition(const Node& node) const {
    if (!is_cond(node)) return false;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      const int by = id ? found_.coupled_by[index(*id)] : -1;
      if (by < 0 || i == node.argument_index("condition")) continue;
      if (!found_.couplings[static_cast<size_t>(by)].no_rule) return false;
    }
    return true;
  }

  // The arguments as they are if that mixes no samples, else the first reading that does not.
  void visit_with_samples(NodeId id, const Arguments& arguments) {
    const Node& node = graph_.node(id);
    std::string why;
    if (!arguments.has(Kind::coupled) && follow(id, arguments.axes, arguments, why)) return;
    for (const Axes& axes : readings(arguments)) {
      std::string other;
      if (!follow(id, axes, arguments, other)) continue;
      found_.read_as.emplace(id, axes);
      return;
    }
    if (arguments.has(Kind::coupled)) return couple(node, arguments.coupled_by);
    couple(id, std::move(why), !has_sample_rule(*node.op));
  }

  // Whether an argument that carries no samples has an axis of the batch: its elements depend on
  // their place in the batch. Elements that are alike have views.
  bool depends_on_place(const Axes& axes, const Arguments& arguments) const {
    if (!distinct_) return false;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].kind != Kind::shared || !arguments.read[i]) continue;
      for (const int64_t size : arguments.dims[i]) {
        if (spans_batch(size, batch_)) return true;
      }
    }
    return false;
  }

  // Sets the axes of the outputs; false, and why, if the node mixes samples.
  bool follow(NodeId id, const Axes& axes, const Arguments& arguments, std::string& why) {
    if (depends_on_place(axes, arguments)) {
      why = "it reads elements that depend on their place in the batch";
      return false;
    }
    SampleContext context = context_of(id, axes, arguments);
    follow_samples(context);
    if (has(context.results(), Kind::sum) && !arguments.linear)
      context.couple("it adds up all samples");
    why = context.why();
    if (has(context.results(), Kind::coupled)) return false;
    const Node& node = graph_.node(id);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      found_.axes[index(node.outputs[i])] = context.results()[i];
    return true;
  }

  // The outputs are shared, and may be read as values that carry samples if an argument may.
  void visit_without_samples(NodeId id, const Arguments& arguments) {
    const Node& node = graph_.node(id);
    const bool is_coupled = arguments.has(Kind::coupled);
    if (is_coupled) couple(node, arguments.coupled_by);
    if (node.op->samples && makes_elements(*node.op) && !is_coupled) {
      SampleContext context = context_of(id, arguments.axes, arguments);
      node.op->samples(context);
      for (size_t i = 0; i < node.outputs.size(); ++i)
        add_views(node.outputs[i], context.offers(i));
      if (distinct_ && context.depends_on_place())
        couple(id, "its elements depend on their place in the batch", false);
    }
    const auto is_empty = [](const Axes& views) { return views.empty(); };
    if (std::all_of(arguments.views.begin(), arguments.views.end(), is_empty)) return;
    if (!has_sample_rule(*node.op)) return;
    for (const Axes& axes : readings(arguments)) {
      if (!has(axes, Kind::each) || depends_on_place(axes, arguments)) continue;
      SampleContext context = context_of(id, axes, arguments);
      follow_samples(context);
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (context.results()[i].is_each()) add_views(node.outputs[i], {context.results()[i]});
      }
    }
  }

  static bool has(const Axes& axes, Kind kind) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const SampleAxis& axis) { return axis.kind == kind; });
  }

  void add_views(ValueId id, const Axes& views) {
    Axes& known = views_[index(id)];
    for (const SampleAxis& view : views) {
      if (known.size() == most_views) return;
      if (std::find(known.begin(), known.end(), view) == known.end()) known.push_back(view);
    }
  }

  void couple(NodeId id, std::string why, bool no_rule) {
    found_.couplings.push_back({id, std::move(why), no_rule});
    couple(graph_.node(id), static_cast<int>(found_.couplings.size()) - 1);
  }

  void couple(const Node& node, int by) {
    for (const ValueId output : node.outputs) {
      found_.axes[index(output)] = {Kind::coupled};
      found_.coupled_by[index(output)] = by;
    }
  }

  const Graph& graph_;
  const Plan& sizes_;
  const int64_t batch_;
  const bool distinct_;
  SampleAxes found_;
  std::vector<bool> linear_;
  std::vector<Dims> dims_;
  std::vector<Axes> views_;  // per value that carries no samples: the ways to read it as if it did
};

}  // namespace

SampleAxes find_sample_axes(const Graph& graph, const Plan& sizes, int64_t batch,
                            const BatchInputs& inputs) {
  return Search(graph, sizes, batch, inputs).run();
}

}  // namespace mithril
