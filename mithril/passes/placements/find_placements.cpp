#include "mithril/passes/placements/find_placements.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/sample_context.hpp"
#include "mithril/passes/placements/argument_ports.hpp"
#include "mithril/passes/placements/draw_rows.hpp"
#include "mithril/passes/placements/linear_ports.hpp"
#include "mithril/passes/placements/nested_placements.hpp"
#include "mithril/passes/placements/refuse_rows.hpp"
#include "mithril/passes/placements/sample_placement.hpp"
#include "mithril/passes/placements/visits.hpp"

namespace mithril {
namespace {

class PlacementSearch {
 public:
  PlacementSearch(const Graph& graph, const BatchRows& rows, const Probe& probe,
                  const PlacementOptions& options, const std::vector<Placement>* inputs,
                  FollowedGraphs& followed)
      : graph_(graph),
        rows_(rows),
        probe_(probe),
        options_(options),
        followed_(followed),
        wanted_(graph, options),
        makers_(graph.values().size(), -1),
        visits_(probe.numbers.kinds()) {
    arguments_.reserve(graph.nodes().size());
    size_t count = 0, next = 0;
    for (const Node& node : graph.nodes()) count += node.arguments.size();
    placements_.resize(count);
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ValueId id : graph.nodes()[i].outputs) makers_[index(id)] = static_cast<int>(i);
      const NodeNumbers& numbers = probe.numbers.node(static_cast<NodeId>(i));
      const std::span<Placement> room(placements_.data() + next, numbers.values.size());
      arguments_.emplace_back(graph.nodes()[i], numbers, rows, room);
      next += numbers.values.size();
    }
    found_.of.resize(graph.values().size());
    found_.reduced.resize(graph.values().size());
    for (size_t i = 0; i < graph.inputs().size(); ++i)
      found_.of[index(graph.inputs()[i])] = inputs ? (*inputs)[i] : of_input(i);
  }

  // A value that a later node reduces is whole for earlier readers, too. So the search starts again
  // until it finds no more of them. It visits the nodes whose arguments have changed.
  FoundPlacements run() {
    search();
    wanted_.add_sums(graph_, found_.of);
    found_.reduced.assign(found_.reduced.size(), false);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (has_partial(graph_.nodes()[i], arguments_[i])) arguments_[i].visited = false;
    }
    do {
      grew_ = false;
      search();
    } while (grew_);
    for (size_t i = 0; i < found_.of.size(); ++i)
      found_.reduced[i] = found_.reduced[i] && found_.of[i].is_partial();
    return std::move(found_);
  }

 private:
  using Arguments = VisitedArguments;

  void search() {
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (read_arguments(graph_.nodes()[i], arguments_[i])) visit(static_cast<NodeId>(i));
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const bool stays = i < options_.partial_outputs.size() && options_.partial_outputs[i];
      const ValueId id = graph_.outputs()[i].value;
      if (read(id).is_partial() && !stays) reduce(id);
    }
  }

  Placement of_input(size_t i) const {
    if (i < options_.partial_inputs.size() && options_.partial_inputs[i])
      return Placement::partial();
    if (i < options_.sharded_inputs.size() && options_.sharded_inputs[i])
      return Placement::sharded(0);
    return along_batch(graph_.inputs()[i]);
  }

  // Sharded if an axis has the size of the batch.
  Placement along_batch(ValueId id) const {
    const Dims& dims = probe_.numbers.dims(id);
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (spans_batch(dims[axis], probe_.batch)) return Placement::sharded(axis);
    }
    return {};
  }

  bool has_rows(const Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return along_batch(id).is_sharded(); });
  }

  const Placement& read(ValueId id) const { return found_.read(id); }

  // Reduces the value, or the one that it is a multiple of: it is made earlier.
  void reduce_first(ValueId id) {
    while (makers_[index(id)] >= 0) {
      const auto maker = static_cast<NodeId>(makers_[index(id)]);
      const ValueId* term = only_argument(
          graph_.node(maker), [&](ValueId argument) { return read(argument).is_partial(); });
      const auto change = found_.changes.find(maker);
      if (!term || (change != found_.changes.end() && !change->second.masked.empty())) break;
      const bool fits =
          graph_.value(*term).dtype == graph_.value(id).dtype &&
          element_count(probe_.numbers.dims(*term)) <= element_count(probe_.numbers.dims(id));
      if (!fits) break;
      id = *term;
    }
    reduce(id);
  }

  void reduce(ValueId id) {
    found_.reduced[index(id)] = true;
    grew_ = true;
  }

  // Whether the node is to be visited, because its arguments are placed in another way than before.
  bool read_arguments(const Node& node, Arguments& arguments) const {
    bool changed = !std::exchange(arguments.visited, true);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      if (!arguments.numbers.reads[i]) continue;
      const Placement& now = read(*tensor_of(node.arguments[i]));
      if (now == arguments.placements[i]) continue;
      arguments.placements[i] = now;
      changed = true;
    }
    return changed;
  }

  bool has_partial(const Node& node, const Arguments& arguments) const {
    return arguments.has(Placement::Kind::partial) ||
           std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return found_.of[index(id)].is_partial(); });
  }

  // What an earlier visit has found.
  void repeat(NodeId id, const Visit& visit) {
    const std::vector<ValueId>& outputs = graph_.node(id).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) found_.of[index(outputs[i])] = visit.outputs[i];
    keep(id, visit.change);
  }

  void add_visit(const Node& node, const Arguments& arguments, bool wanted,
                 const NodeChange& change) {
    std::vector<Placement> outputs;
    for (const ValueId output : node.outputs) outputs.push_back(found_.of[index(output)]);
    visits_.add(arguments, wanted, std::move(outputs), change);
  }

  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    Arguments& arguments = arguments_[index(id)];
    const bool reads_terms = arguments.has(Placement::Kind::partial);
    const bool reads_rows = arguments.has(Placement::Kind::sharded);
    const bool wanted = reads_terms && wanted_.of_node(node);
    const bool alike = (reads_terms || reads_rows) && arguments.alike;
    if (const Visit* known = alike ? visits_.find(arguments, wanted) : nullptr)
      return repeat(id, *known);
    NodeChange change;
    find_numbers(node, arguments, change);
    if (reads_terms) {
      if (stays_partial(node, arguments, change)) {
        for (const ValueId output : node.outputs) found_.of[index(output)] = Placement::partial();
        if (alike) add_visit(node, arguments, wanted, change);
        return keep(id, std::move(change));
      }
      const bool stays =
          arguments.numbers.nested && takes_terms(node, nested_arguments(node, arguments),
                                                  probe_.batch, options_, find_, followed_);
      for (size_t i = 0; i < node.arguments.size(); ++i) {
        if (stays || !arguments.placements[i].is_partial()) continue;
        reduce_first(*tensor_of(node.arguments[i]));
        arguments.placements[i] = {};
      }
    }
    if (reads_rows) {
      arguments.numbers.nested ? follow_nested(node, arguments, change)
                               : follow(id, arguments, change);
    } else if (has_rows(node)) {
      fill(id, arguments, change);
    } else {
      for (const ValueId output : node.outputs) found_.of[index(output)] = {};
    }
    check_results(node);
    check_numbers(node, arguments, change);
    // A visit that makes values be reduced changes more than the node, and draws are of a batch.
    if (alike && !reads_terms && !change.extremum && !change.draw)
      add_visit(node, arguments, wanted, change);
    keep(id, std::move(change));
  }

  void check_results(const Node& node) const {
    for (const ValueId id : node.outputs) {
      if (!found_.of[index(id)].is_sharded()) continue;
      // A process may have one row, whose axis such an op would remove.
      if (!graph_.value(id).ranked)
        refuse(node, "the rank of its result depends on the number of rows");
      // A process has some of the rows along one axis; along a second one it would need all.
      const int64_t count = element_count(probe_.numbers.dims(id));
      if (count > 0 && count / probe_.batch % probe_.batch == 0)
        refuse(node, "two axes of its result have the size of the batch");
    }
  }

  void keep(NodeId id, NodeChange change) {
    if (change.is_empty()) {
      found_.changes.erase(id);
    } else {
      found_.changes.insert_or_assign(id, std::move(change));
    }
  }

  // Whether terms of the arguments give terms of the outputs.
  bool stays_partial(const Node& node, const Arguments& arguments, NodeChange& change) const {
    if (arguments.has(Placement::Kind::sharded) || has_rows(node)) return false;
    std::vector<bool> partial, given;
    int64_t elements = 0, made = 0;
    for (size_t i = 0; i < arguments.placements.size(); ++i) {
      partial.push_back(arguments.placements[i].is_partial());
      if (partial[i]) elements += element_count(arguments.numbers.argument_dims[i]);
    }
    const auto mixed = linear_together(graph_, node, partial);
    if (!mixed) return false;
    const bool wanted = wanted_.of_node(node);
    if (!mixed->empty() && !wanted) return false;
    for (const ValueId output : node.outputs) made += element_count(probe_.numbers.dims(output));
    // It costs less to reduce a value before its elements are repeated.
    if (made > elements && !wanted) return false;
    change.masked = *mixed;
    return true;
  }

  SampleContext context_of(NodeId id, const std::vector<SampleAxis>& axes,
                           const Arguments& arguments) const {
    const NodeNumbers& numbers = arguments.numbers;
    return SampleContext(*graph_.node(id).op, probe_.batch, axes, numbers.values,
                         numbers.argument_dims, numbers.output_dims);
  }

  // A node that reads rows.
  void follow(NodeId id, const Arguments& arguments, NodeChange& change) {
    const Node& node = graph_.node(id);
    std::vector<SampleAxis> axes;
    axes.reserve(arguments.placements.size());
    for (const Placement& placement : arguments.placements)
      axes.push_back(sample_axis_of(placement));
    SampleContext context = context_of(id, axes, arguments);
    follow_samples(context);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const SampleAxis& axis = context.results()[i];
      Placement& of = found_.of[index(node.outputs[i])];
      of = placement_by(axis);
      if (axis.kind == SampleAxis::Kind::coupled) {
        if (node.op->combines_by.empty() || context.misreads_numbers() || has_rows(node))
          refuse(node, context.why());
        of = Placement::partial(parse_reduction(node.op->combines_by));
        found_.reduced[index(node.outputs[i])] = true;
        change.extremum = true;
      } else if (!axis.is_each() && along_batch(node.outputs[i]).is_sharded()) {
        refuse(node, "its result depends on the place of a row in the batch");
      }
    }
  }

  NestedArguments nested_arguments(const Node& node, const Arguments& arguments) const {
    return arguments_of(graph_, node, rows_, arguments.placements, arguments.numbers.argument_dims);
  }

  // A loop or a choice that reads rows.
  void follow_nested(const Node& node, const Arguments& arguments, NodeChange& change) {
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Datum* datum = std::get_if<Datum>(&node.arguments[i]);
      if (datum && arguments.numbers.ports[i].name == "length" && rows_.has(*datum))
        refuse(node, "it has a step for each row");
    }
    NestedPlacements placed = place_nested(node, nested_arguments(node, arguments), probe_.batch,
                                           options_, find_, followed_);
    if (!placed.why.empty()) refuse(node, placed.why, placed.help);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      found_.of[index(node.outputs[i])] = placed.outputs[i];
    change.nested = std::move(placed.draws);
    change.masked = std::move(placed.masked);
    std::erase_if(change.masked, [&](size_t i) {
      const int maker = makers_[index(*tensor_of(node.arguments[i]))];
      return maker >= 0 && makes_zeros(graph_.nodes()[static_cast<size_t>(maker)]);
    });
  }

  // A node that makes rows, and reads none.
  void fill(NodeId id, const Arguments& arguments, NodeChange& change) {
    const Node& node = graph_.node(id);
    const std::vector<SampleAxis> axes(arguments.placements.size());
    SampleContext context = context_of(id, axes, arguments);
    if (node.op->samples && makes_elements(*node.op)) node.op->samples(context);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Placement& of = found_.of[index(node.outputs[i])];
      const std::vector<SampleAxis>& offers = context.offers(i);
      if (offers.empty()) {
        if (!along_batch(node.outputs[i]).is_sharded()) {
          of = {};
          continue;
        }
        refuse(node, "its elements depend on their place in the batch");
      }
      of = placement_by(offers.front());
      const SampleAxis like = sample_axis_of(like_of(node, arguments));
      if (std::find(offers.begin(), offers.end(), like) != offers.end()) of = placement_by(like);
      if (of.is_sharded() && draws_elements(*node.op))
        draw(node, graph_.value(node.outputs[i]), of, change);
    }
  }

  Placement like_of(const Node& node, const Arguments& arguments) const {
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (id && !arguments.numbers.reads[i]) return read(*id);
    }
    return {};
  }

  void draw(const Node& node, const Value& value, const Placement& of, NodeChange& change) const {
    if (node.op->rows_drawn_by.empty()) refuse(node, "it draws other numbers for other rows");
    change.draw = row_draw(value, of, rows_);
    if (!change.draw) refuse(node, "it draws numbers for rows that do not follow each other");
  }

  static const Datum& number_at(const Node& node, size_t argument) {
    return std::get<Datum>(node.arguments[argument]);
  }

  // Numbers of rows among the arguments.
  void find_numbers(const Node& node, const Arguments& arguments, NodeChange& change) const {
    for (const size_t i : arguments.with_rows) {
      const auto port = arguments.numbers.ports.index(i);
      if (!node.op->compiled.ports[port].value) change.numbers.push_back(i);
      if (node.op == &to_tensor_ && number_at(node, i).kind() == kind::int_value)
        change.counts = true;
    }
  }

  // A value that is a number, not a size, means the rows of the whole batch. Of these only operands
  // have a rule.
  void check_numbers(const Node& node, const Arguments& arguments, const NodeChange& change) const {
    if (change.counts || found_.of[index(node.outputs.front())].numbers) return;
    for (const size_t i : arguments.with_rows) {
      const auto port = arguments.numbers.ports.index(i);
      const CompiledPorts::Port& compiled = node.op->compiled.ports[port];
      const bool is_number = compiled.value && (compiled.kinds & kind::float_value);
      const bool is_size = compiled.value && !is_number &&
                           (arguments.has(Placement::Kind::sharded) || has_rows(node));
      if (!compiled.value || is_size) continue;
      refuse_number_of_rows(graph_, node, arguments.numbers.ports[i].name, number_at(node, i));
    }
  }

  [[noreturn]] void refuse(const Node& node, const std::string& why,
                           const std::string& help = "") const {
    refuse_mixed_rows(graph_, node, options_.size, why, help);
  }

  const Graph& graph_;
  const BatchRows& rows_;
  const Probe& probe_;
  const PlacementOptions& options_;
  FollowedGraphs& followed_;
  PartialWanted wanted_;
  std::vector<int> makers_;            // per value: the node that makes it; -1: none
  std::vector<Placement> placements_;  // of all arguments
  std::vector<Arguments> arguments_;   // per node
  Visits visits_;
  const OpDef& to_tensor_ = find_op("to_tensor");
  const FindPlacements find_ = [this](const auto&... given) {
    return PlacementSearch(given..., followed_).run();
  };
  FoundPlacements found_;
  bool grew_ = false;
};

}  // namespace

FoundPlacements find_placements(const Graph& graph, const BatchRows& rows, const Probe& probe,
                                const PlacementOptions& options) {
  FollowedGraphs followed;
  return PlacementSearch(graph, rows, probe, options, nullptr, followed).run();
}

}  // namespace mithril
