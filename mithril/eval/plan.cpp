#include "mithril/eval/plan.hpp"

#include "mithril/base/interrupt.hpp"
#include "mithril/eval/node_sizes.hpp"
#include "mithril/graph/number_tensor.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

// Per node: the values that no later node reads.
std::vector<std::vector<ValueId>> last_reads(const Graph& graph) {
  std::vector<bool> kept(graph.values().size());
  for (const Output& output : graph.outputs()) kept[index(output.value)] = true;
  std::vector<std::vector<ValueId>> released(graph.nodes().size());
  for (size_t i = released.size(); i-- > 0;) {
    const auto last_use = [&](ValueId id) {
      if (!kept[index(id)]) released[i].push_back(id);
      kept[index(id)] = true;
    };
    const Node& node = graph.nodes()[i];
    for (const ValueId id : node.outputs) last_use(id);
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) last_use(*id);
    }
  }
  return released;
}

}  // namespace

class Planner::Sizes {
 public:
  Sizes(const Graph& graph, const SizeSources& sizes, std::span<const Tensor> inputs)
      : graph_(graph),
        sizes_(sizes),
        released_(last_reads(graph)),
        dims_(graph.values().size()),
        node_sizes_(graph) {
    for (size_t i = 0; i < inputs.size(); ++i) know(graph.inputs()[i], inputs[i].dims());
    for (const Constant& constant : graph.constants()) {
      know(constant.value, constant.tensor.dims());
    }
    enter(0);
  }

  PlannedNode next() {
    const NodeSizeSources& sized = sizes_.nodes()[next_];
    if (sized.stage != stage_) enter(sized.stage);
    PlannedNode planned = plan_node(graph_.nodes()[next_], sized);
    planned.released = std::move(released_[next_++]);
    return planned;
  }

 private:
  void know(ValueId id, const Dims& dims) {
    check_rank(id, dims);
    dims_[index(id)] = dims;
    node_sizes_.know(id, dims);
  }

  void check_rank(ValueId id, const Dims& got) const {
    const Value& value = graph_.value(id);
    if (!value.ranked || value.dims.size() == got.size()) return;
    raise({.kind = ErrorKind::input,
           .code = "E0803",
           .path = value.name,
           .message = "'" + value.name + "' has rank " + std::to_string(got.size()) +
                      ", expected " + std::to_string(value.dims.size()),
           .facts = {{"expected", sizes_.text(id)}, {"got", to_string(got)}}});
  }

  // Observes the sizes of the stage, and computes its others.
  void enter(int32_t stage) {
    stage_ = stage;
    const Stage& here = sizes_.stages()[static_cast<size_t>(stage)];
    std::vector<int64_t> observed, symbols;
    for (const Observed& at : here.observed) observed.push_back(dims_[index(at.value)][at.dim]);
    if (const auto wrong = here.program.learn(observed, symbols)) {
      mismatch(here.observed[wrong->observation], *wrong);
    }
    here.program.run(symbols, numbers_);
  }

  [[noreturn]] void mismatch(const Observed& at, const SizeProgram::Mismatch& wrong) const {
    const std::string& name = graph_.value(at.value).name;
    raise({.kind = ErrorKind::input,
           .code = "E0804",
           .path = name,
           .message = "'" + name + "' has " + std::to_string(wrong.got) + " in dim " +
                      std::to_string(at.dim) + ", expected " + wrong.expected,
           .facts = {{"expected", sizes_.text(at.value)},
                     {"got", to_string(dims_[index(at.value)])}}});
  }

  int64_t number(const SizeSource& size) const {
    return size.index < 0 ? size.number : numbers_[static_cast<size_t>(size.index)];
  }

  PlannedNode plan_node(const Node& node, const NodeSizeSources& sized) {
    MITHRIL_CHECK(node.op->eval, "op " + node.op->name + " has no eval: run expand_ops first");
    PlannedNode planned{.op = node.op};
    const DType dtype = graph_.value(node.outputs.front()).dtype;
    const SizeSource* next = sizes_.sizes(sized);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      if (const ValueId* id = tensor_of(node.arguments[i])) {
        planned.values.emplace_back();
        planned.tensors.push_back(static_cast<int32_t>(*id));
        continue;
      }
      planned.values.push_back(concrete(std::get<Datum>(node.arguments[i]), next));
      planned.tensors.push_back(absent);
      if (planned.values.back().kind() & kind::number) {
        planned.tensors.back() = ~static_cast<int32_t>(planned.scalars.size());
        planned.scalars.push_back(number_tensor(planned.values.back(), dtype));
      }
    }
    planned.outputs = node.outputs;
    planned.output_dims = output_dims(node, planned, sized.inferred ? nullptr : next);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      know(node.outputs[i], planned.output_dims[i]);
    }
    return planned;
  }

  Datum concrete(const Datum& datum, const SizeSource*& next) const {
    return map_dims(datum, [&](const Dim&) { return Dim(number(*next++)); });
  }

  // Infers every node with concrete sizes, which checks the assumptions of a model or a gradient
  // about symbols (that two broadcast, that two are equal). `stated`: the sizes that follow from
  // the inputs; null if there are none.
  std::vector<Dims> output_dims(const Node& node, const PlannedNode& planned,
                                const SizeSource* stated) const {
    const std::vector<std::optional<Dims>> made = node_sizes_.infer(node, planned.values);
    std::vector<Dims> all;
    all.reserve(made.size());
    for (size_t i = 0; i < made.size(); ++i) {
      if (!stated && !made[i])
        faulty_record(*node.op, "its patterns and solve do not say the dims of output " +
                                    std::to_string(i) + " where all inputs are known");
      if (!stated) {
        all.push_back(*made[i]);
        continue;
      }
      Dims& dims = all.emplace_back(graph_.value(node.outputs[i]).dims.size());
      for (int64_t& dim : dims) dim = number(*stated++);
      if (made[i] && *made[i] != dims) contradict(node, i, dims, *made[i]);
    }
    return all;
  }

  [[noreturn]] void contradict(const Node& node, size_t output, const Dims& stated,
                               const Dims& made) const {
    const std::string& name = graph_.value(node.outputs[output]).name;
    raise(
        {.kind = ErrorKind::shape,
         .code = "E0210",
         .path = name,
         .message = node.op->name + ": with these sizes '" + name + "' has other dims than stated",
         .facts = {{"stated", to_string(stated)}, {"made", to_string(made)}}});
  }

  const Graph& graph_;
  const SizeSources& sizes_;
  size_t next_ = 0;
  std::vector<std::vector<ValueId>> released_;
  std::vector<Dims> dims_;  // per value, once they are known
  NodeSizes node_sizes_;
  int32_t stage_ = 0;
  std::vector<int64_t> numbers_;  // the sizes that the stage's program computes
};

Planner::Planner(const Graph& graph, const SizeSources& sizes, std::span<const Tensor> inputs)
    : sizes_(std::make_unique<Sizes>(graph, sizes, inputs)) {}
Planner::~Planner() = default;
PlannedNode Planner::next() {
  check_interrupt();
  return sizes_->next();
}

Plan make_plan(const Graph& graph, const SizeSources& sizes, std::span<const Tensor> inputs) {
  Planner planner(graph, sizes, inputs);
  Plan plan;
  for (const Tensor& input : inputs) plan.inputs.push_back(input.dims());
  plan.nodes.reserve(graph.nodes().size());
  for (size_t i = 0; i < graph.nodes().size(); ++i) plan.nodes.push_back(planner.next());
  return plan;
}

std::vector<const Dims*> Plan::dims_of_values(const Graph& graph) const {
  std::vector<const Dims*> dims(graph.values().size());
  for (size_t i = 0; i < inputs.size(); ++i) dims[index(graph.inputs()[i])] = &inputs[i];
  for (const Constant& constant : graph.constants())
    dims[index(constant.value)] = &constant.tensor.dims();
  for (const PlannedNode& node : nodes) {
    for (size_t i = 0; i < node.outputs.size(); ++i)
      dims[index(node.outputs[i])] = &node.output_dims[i];
  }
  return dims;
}

Tensor placeholder(DType dtype, Dims dims) {
  static std::byte nowhere{};
  return Tensor::over(dtype, std::move(dims), &nowhere, nullptr);
}

}  // namespace mithril
