#include "mithril/passes/placements/shard_rules.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/passes/placements/argument_ports.hpp"
#include "mithril/passes/placements/draw_rows.hpp"

namespace mithril {
namespace {

// How many combinations of forms are tried for a node. More than two arguments that may be cut are
// rare.
constexpr int most_trials = 64;

SampleAxis sample_axis(const Placement& placement) {
  return placement.is_sharded() ? SampleAxis::along(placement.axis, placement.outer) : SampleAxis{};
}

Placement placement_of(const SampleAxis& axis) {
  if (axis.kind == SampleAxis::Kind::sum) return Placement::partial();
  return axis.is_each() ? Placement::sharded(axis.axis, axis.outer) : Placement{};
}

// Calls visit with each choice of one form per argument until it returns true, the first forms
// first.
bool each_choice(const std::vector<std::vector<ArgumentForm>>& forms,
                 const std::function<bool(const std::vector<ArgumentForm>&)>& visit) {
  std::vector<size_t> at(forms.size());
  for (int trial = 0; trial < most_trials; ++trial) {
    std::vector<ArgumentForm> chosen;
    for (size_t i = 0; i < forms.size(); ++i) chosen.push_back(forms[i][at[i]]);
    if (visit(chosen)) return true;
    size_t i = forms.size();
    while (i > 0 && ++at[i - 1] == forms[i - 1].size()) at[--i] = 0;
    if (i == 0) return false;
  }
  return false;
}

}  // namespace

// One way to compute a node.
struct ShardRules::Trial {
  const Node& node;
  const NodeNumbers& numbers;
  const std::vector<Argument>& arguments;
  std::vector<Placement> placements = {};  // of the arguments in their forms
  std::vector<SampleAxis> axes = {};       // of those whose elements are read
  std::vector<Dims> whole = {}, local = {};
  bool cuts = false;                     // whether an argument that is read has blocks
  bool has_blocks = false;               // whether any argument has
  bool may_broadcast = false;            // whether a value has an open axis that is 1 here
  std::optional<Placement> target = {};  // that elements without blocks are made for
};

ShardRules::ShardRules(const Graph& graph, const GraphNumbers& numbers, int64_t processes)
    : graph_(graph),
      numbers_(numbers),
      processes_(processes),
      expand_reduced_(find_op("expand_reduced")),
      local_(graph),
      known_(graph.nodes().size()) {}

std::optional<BlockSizes> ShardRules::sizes(ValueId id, const Placement& sharded) const {
  const Value& value = graph_.value(id);
  if (!value.ranked || sharded.axis >= value.dims.size()) return std::nullopt;
  return block_sizes(value.dims[sharded.axis], dims(id)[sharded.axis], sharded.outer, processes_);
}

// An open axis that is 1 in the example may be that of the blocks for other sizes.
bool ShardRules::may_broadcast(ValueId id) const {
  const Value& value = graph_.value(id);
  if (!value.ranked) return true;
  for (size_t axis = 0; axis < value.dims.size(); ++axis) {
    if (dims(id)[axis] == 1 && !resolve(value.dims[axis]).is_constant()) return true;
  }
  return false;
}

std::vector<ShardRules::Argument> ShardRules::arguments_of(
    const Node& node, const std::vector<Placement>& placements,
    const std::optional<Placement>& wanted) const {
  const ArgumentPorts ports(node);
  // The axes that a whole argument may be cut along have these sizes.
  std::vector<std::pair<int64_t, int64_t>> cut;  // and the number of outer elements
  const auto add = [&](ValueId id, const Placement& placement) {
    cut.emplace_back(dims(id)[placement.axis], placement.outer);
  };
  if (wanted) add(node.outputs.front(), *wanted);
  for (size_t i = 0; i < placements.size(); ++i) {
    if (placements[i].is_sharded()) add(*tensor_of(node.arguments[i]), placements[i]);
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const ValueId* id = tensor_of(node.arguments[i]);
    Argument& argument = arguments.emplace_back(Argument{id, id && reads_elements(ports[i]), {}});
    for (size_t axis = 0; id && !placements[i].is_sharded() && axis < dims(*id).size(); ++axis) {
      for (const auto& [size, outer] : cut) {
        const ArgumentForm form{FormKind::block, Placement::sharded(axis, outer)};
        const bool known =
            std::find(argument.forms.begin(), argument.forms.end(), form) != argument.forms.end();
        if (!known && dims(*id)[axis] == size && sizes(*id, form.block))
          argument.forms.push_back(form);
      }
    }
    argument.forms.push_back({});
    if (id && !argument.reads && placements[i].is_sharded())
      argument.forms.push_back({FormKind::dims, {}});
  }
  return arguments;
}

// A tensor that is an argument twice has one form.
bool ShardRules::are_consistent(const std::vector<Argument>& arguments,
                                const std::vector<ArgumentForm>& forms) const {
  for (size_t i = 0; i < forms.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const bool same_tensor =
          arguments[i].id && arguments[k].id && *arguments[i].id == *arguments[k].id;
      if (same_tensor && !(forms[i] == forms[k])) return false;
    }
  }
  return true;
}

std::optional<ShardedNode> ShardRules::find(NodeId id, const std::vector<Placement>& placements,
                                            const std::optional<Placement>& wanted) const {
  for (const Known& known : known_[index(id)])
    if (known.placements == placements && known.wanted == wanted) return known.found;
  std::optional<ShardedNode> found = try_all_forms(id, placements, wanted);
  known_[index(id)].push_back({placements, wanted, found});
  return found;
}

std::optional<ShardedNode> ShardRules::try_all_forms(NodeId id,
                                                     const std::vector<Placement>& placements,
                                                     const std::optional<Placement>& wanted) const {
  const std::vector<Argument> arguments = arguments_of(graph_.node(id), placements, wanted);
  std::vector<std::vector<ArgumentForm>> forms;
  for (const Argument& argument : arguments) forms.push_back(argument.forms);
  std::optional<ShardedNode> found;
  each_choice(forms, [&](const std::vector<ArgumentForm>& chosen) {
    if (are_consistent(arguments, chosen))
      found = try_forms(id, arguments, chosen, placements, wanted);
    return found.has_value();
  });
  return found;
}

std::optional<ShardedNode> ShardRules::try_forms(NodeId id, const std::vector<Argument>& arguments,
                                                 const std::vector<ArgumentForm>& forms,
                                                 const std::vector<Placement>& placements,
                                                 const std::optional<Placement>& wanted) const {
  const Node& node = graph_.node(id);
  Trial trial{.node = node, .numbers = numbers_.node(id), .arguments = arguments};
  trial.target = wanted;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Placement of = forms[i].kind == FormKind::block  ? forms[i].block
                         : forms[i].kind == FormKind::dims ? Placement{}
                                                           : placements[i];
    trial.placements.push_back(of);
    trial.axes.push_back(arguments[i].reads ? sample_axis(of) : SampleAxis{});
    trial.whole.push_back(arguments[i].id ? dims(*arguments[i].id) : Dims{});
    trial.local.push_back(trial.whole.back());
    if (of.is_sharded()) trial.local.back()[of.axis] /= processes_;
    trial.cuts = trial.cuts || trial.axes.back().is_each();
    trial.has_blocks = trial.has_blocks || of.is_sharded();
    if (arguments[i].id)
      trial.may_broadcast = trial.may_broadcast || may_broadcast(*arguments[i].id);
    if (!trial.target && arguments[i].id && !arguments[i].reads && of.is_sharded())
      trial.target = of;
  }
  for (const ValueId output : node.outputs)
    trial.may_broadcast = trial.may_broadcast || may_broadcast(output);
  if ((trial.has_blocks || trial.target) && trial.may_broadcast) return std::nullopt;
  ShardedNode found{.arguments = forms};
  const std::vector<SampleAxis> results = results_of(trial);
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId output = node.outputs[i];
    if (results[i].kind == SampleAxis::Kind::coupled) {
      if (node.op->combines_by.empty()) return std::nullopt;
      found.results.push_back(Placement::partial(parse_reduction(node.op->combines_by)));
    } else {
      found.results.push_back(placement_of(results[i]));
    }
    const Placement& made = found.results.back();
    if (made.is_sharded() && !sizes(output, made)) return std::nullopt;
    if (made.is_partial() && graph_.value(output).dtype == DType::boolean) return std::nullopt;
  }
  if (wanted && !(found.results.front() == *wanted)) return std::nullopt;
  if (!holds_locally(trial, results) || !infers(trial, found)) return std::nullopt;
  return found;
}

std::vector<SampleAxis> ShardRules::results_of(const Trial& trial) const {
  const OpDef& op = *trial.node.op;
  SampleContext context(op, processes_, trial.axes, trial.numbers.values, trial.whole,
                        trial.numbers.output_dims);
  if (trial.cuts) {
    follow_samples(context);
    return context.results();
  }
  std::vector<SampleAxis> results(trial.node.outputs.size());
  if (!trial.target || !op.samples || !makes_elements(op) || draws_elements(op)) return results;
  op.samples(context);
  const SampleAxis target = sample_axis(*trial.target);
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<SampleAxis>& offers = context.offers(i);
    if (std::find(offers.begin(), offers.end(), target) != offers.end()) results[i] = target;
  }
  return results;
}

// A rule takes it for granted that a whole argument is the same for all blocks. It is not if it has
// the axis of the blocks. Then the rule refuses the sizes of this process, of which its block is
// the only one.
bool ShardRules::holds_locally(const Trial& trial, const std::vector<SampleAxis>& results) const {
  bool reads_whole = false;
  for (size_t i = 0; i < trial.axes.size(); ++i) {
    reads_whole = reads_whole || (trial.arguments[i].reads && !trial.axes[i].is_each() &&
                                  element_count(trial.whole[i]) > 1);
  }
  if (!trial.cuts || !reads_whole) return true;
  std::vector<Dims> outputs = trial.numbers.output_dims;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (results[i].is_each()) outputs[i][results[i].axis] /= processes_;
  }
  SampleContext context(*trial.node.op, 1, trial.axes, trial.numbers.values, trial.local, outputs);
  follow_samples(context);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (context.results()[i].kind != results[i].kind) return false;
  }
  return true;
}

// Whether the op makes the local dims from those of the arguments.
bool ShardRules::infers(const Trial& trial, ShardedNode& found) const {
  const Node& node = trial.node;
  // The number of elements that it divides by is that of the whole tensor.
  if (node.op == &expand_reduced_ && !trial.numbers.values[4].is_none()) {
    const std::vector<bool> reduced = axis_set(trial.numbers.values[2], trial.whole[1].size());
    if (trial.placements[1].is_sharded() && reduced[trial.placements[1].axis]) return false;
  }
  std::vector<Dims> expected = trial.numbers.output_dims;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (found.results[i].is_sharded()) expected[i][found.results[i].axis] /= processes_;
  }
  for (size_t i = 0; i < trial.arguments.size(); ++i) {
    if (trial.arguments[i].id) local_.know(*trial.arguments[i].id, trial.local[i]);
  }
  std::vector<Datum> values = trial.numbers.values;
  const auto makes_expected = [&] {
    try {
      const std::vector<std::optional<Dims>> made = local_.infer(node, values);
      return std::equal(made.begin(), made.end(), expected.begin(), expected.end(),
                        [](const std::optional<Dims>& a, const Dims& b) { return a && *a == b; });
    } catch (const Error&) {
      return false;
    }
  };
  if (makes_expected()) return true;
  const std::vector<PortDef>& ports = node.op->inputs;
  const bool has_shape = std::any_of(ports.begin(), ports.end(),
                                     [](const PortDef& port) { return port.name == "shape"; });
  if (!has_shape) return false;
  values[node.argument_index("shape")] = Datum::ints(expected.front());
  found.reshapes = true;
  return makes_expected();
}

}  // namespace mithril
