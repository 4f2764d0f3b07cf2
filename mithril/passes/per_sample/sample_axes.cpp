#include "mithril/passes/per_sample/sample_axes.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class Search {
 public:
  Search(const Graph& graph, const Plan& sizes, int64_t batch, const BatchInputs& inputs)
      : graph_(graph), sizes_(sizes), batch_(batch) {
    const size_t count = graph.values().size();
    found_.axes.resize(count);
    found_.coupled_by.assign(count, -1);
    linear_.resize(count);
    dims_.resize(count);
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      dims_[index(graph.inputs()[i])] = sizes.inputs[i];
    }
    for (const Constant& constant : graph.constants()) {
      dims_[index(constant.value)] = constant.tensor.dims();
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
    std::vector<SampleAxis> axes;
    std::vector<Dims> dims;
    bool linear = false;
    int coupled_by = -1;
    bool has(SampleAxis::Kind kind) const {
      return std::any_of(axes.begin(), axes.end(),
                         [&](const SampleAxis& axis) { return axis.kind == kind; });
    }
  };

  Arguments arguments_of(const Node& node) const {
    Arguments arguments;
    std::vector<bool> shape_only;
    for (const PortDef& port : node.op->inputs) {
      const size_t count = port.list ? node.list_size() : 1;
      shape_only.insert(shape_only.end(), count, port.name == "like");
    }
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      arguments.dims.push_back(id ? dims_[index(*id)] : Dims{});
      arguments.axes.push_back(id && !shape_only[i] ? found_.of(*id) : SampleAxis{});
      if (!id || shape_only[i]) continue;
      arguments.linear = arguments.linear || linear_[index(*id)];
      if (arguments.coupled_by < 0) arguments.coupled_by = found_.coupled_by[index(*id)];
    }
    return arguments;
  }

  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    const PlannedNode& planned = sizes_.nodes[index(id)];
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      dims_[index(node.outputs[i])] = planned.output_dims[i];
    }
    const Arguments arguments = arguments_of(node);
    for (const ValueId output : node.outputs) linear_[index(output)] = arguments.linear;
    if (arguments.has(SampleAxis::Kind::coupled)) return couple(node, arguments.coupled_by);
    if (arguments.has(SampleAxis::Kind::sum)) {
      if (arguments.has(SampleAxis::Kind::each))
        return couple(id, "it joins samples with a sum over the batch", false);
      for (const ValueId output : node.outputs)
        found_.axes[index(output)] = {SampleAxis::Kind::sum};
      return;
    }
    if (!arguments.has(SampleAxis::Kind::each)) return;
    SampleContext context(*node.op, batch_, arguments.axes, planned.values, arguments.dims,
                          planned.output_dims);
    follow_samples(context);
    bool coupled = false;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      SampleAxis& axis = found_.axes[index(node.outputs[i])] = context.results()[i];
      if (axis.kind == SampleAxis::Kind::coupled) coupled = true;
      if (axis.kind == SampleAxis::Kind::sum && !arguments.linear) {
        context.couple("it adds up all samples");
        coupled = true;
      }
    }
    if (coupled) couple(id, context.why(), !has_sample_rule(*node.op));
  }

  void couple(NodeId id, std::string why, bool no_rule) {
    found_.couplings.push_back({id, std::move(why), no_rule});
    couple(graph_.node(id), static_cast<int>(found_.couplings.size()) - 1);
  }

  void couple(const Node& node, int by) {
    for (const ValueId output : node.outputs) {
      found_.axes[index(output)] = {SampleAxis::Kind::coupled};
      found_.coupled_by[index(output)] = by;
    }
  }

  const Graph& graph_;
  const Plan& sizes_;
  const int64_t batch_;
  SampleAxes found_;
  std::vector<bool> linear_;
  std::vector<Dims> dims_;
};

}  // namespace

SampleAxes find_sample_axes(const Graph& graph, const Plan& sizes, int64_t batch,
                            const BatchInputs& inputs) {
  return Search(graph, sizes, batch, inputs).run();
}

}  // namespace mithril
