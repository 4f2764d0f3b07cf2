#include "mithril/passes/placements/nested_placements.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/sample_context.hpp"

namespace mithril {
namespace {

// The rows of a graph whose inputs are placed like this, and hold rows of these batches.
BatchRows rows_of(const Graph& graph, const Probe& probe, const std::vector<Placement>& inputs,
                  const std::vector<std::optional<size_t>>& batches) {
  std::map<const Symbol*, size_t> batch_of;
  std::set<size_t> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_sharded() || !batches[i]) continue;
    all.insert(*batches[i]);
    const Value& value = graph.value(graph.inputs()[i]);
    if (!value.ranked) continue;
    for (const Symbol* symbol : leaves_of(value.dims[inputs[i].axis]))
      batch_of.emplace(symbol, *batches[i]);
  }
  BatchRows rows(graph, {});
  for (Symbol* symbol : symbols_of_rows(graph, probe)) {
    const auto known = batch_of.find(symbol);
    if (known != batch_of.end()) {
      rows.add_equal(Dim(symbol), known->second);
    } else if (all.size() == 1) {
      rows.add_equal(Dim(symbol), *all.begin());
    } else {
      rows.add_unclear(Dim(symbol));
    }
  }
  return rows;
}

// Why a node cannot be placed, and advice.
struct NestedRefusal {
  std::string why, help;
};

// What a graph does that only the whole graph of the processes can do.
std::optional<NestedRefusal> exchange_of(const Graph& graph, const FoundPlacements& found) {
  const auto name = [&](ValueId id) { return in_quotes(graph.value(id).name); };
  const auto reduced = std::find(found.reduced.begin(), found.reduced.end(), true);
  if (reduced != found.reduced.end()) {
    const auto id = static_cast<ValueId>(reduced - found.reduced.begin());
    return NestedRefusal{"its graph needs the value " + name(id) + " of all rows",
                         "compute it before the loop or choice, or after it"};
  }
  for (const auto& [node, change] : found.changes) {
    const std::string made = name(graph.node(node).outputs.front());
    if (change.counts || !change.numbers.empty()) {
      return NestedRefusal{"its graph reads the number of rows at " + made,
                           "divide by the number of rows before the loop or choice, or after it"};
    }
    if (!change.masked.empty() || change.extremum) {
      return NestedRefusal{"its graph adds a value of all processes to a sum over rows at " + made +
                               ", which would count it several times",
                           "add it before the loop or choice, or after it"};
    }
  }
  return std::nullopt;
}

class NestedPlacing {
 public:
  NestedPlacing(const Node& node, const NestedArguments& arguments, int64_t batch,
                const PlacementOptions& options, const FindPlacements& find,
                FollowedGraphs& followed)
      : node_(node),
        batch_(batch),
        options_(options),
        find_(find),
        followed_(followed),
        first_(node.argument_index("arguments")) {
    const auto from = static_cast<std::ptrdiff_t>(first_);
    const auto to = from + static_cast<std::ptrdiff_t>(node.list_size());
    inputs_.assign(arguments.placements.begin() + from, arguments.placements.begin() + to);
    dims_.assign(arguments.dims.begin() + from, arguments.dims.begin() + to);
    batches_.assign(arguments.batches.begin() + from, arguments.batches.begin() + to);
  }

  NestedPlacements run() {
    place();
    return std::move(placed_);
  }

 private:
  using Nested = std::shared_ptr<const NestedGraph>;
  void place() {
    const std::string_view op = node_.op->name;
    if (op == "scan") {
      scan();
    } else if (op == "cond") {
      choose();
    } else {
      repeat();
    }
  }
  // The graph at this port is placed like this; it exchanges nothing.
  void keep_draws(const char* port, const FoundPlacements& found) {
    if (found.changes.empty()) return;
    NestedChanges draws = placed_.draws ? *placed_.draws : NestedChanges{};
    draws.of.insert_or_assign(port, found.changes);
    placed_.draws = std::make_shared<const NestedChanges>(std::move(draws));
  }
  size_t number_at(std::string_view port) const {
    const Argument& argument = node_.arguments[node_.argument_index(port)];
    return static_cast<size_t>(std::get<Datum>(argument).integer());
  }
  void refuse(std::string why) { placed_.why = std::move(why); }
  bool refuse_exchange(const Graph& graph, const FoundPlacements& found) {
    std::optional<NestedRefusal> refusal = exchange_of(graph, found);
    if (!refusal) return false;
    placed_.why = std::move(refusal->why);
    placed_.help = std::move(refusal->help);
    return true;
  }

  const FoundPlacements& follow(const Nested& nested) const {
    std::deque<FollowedGraphs::Followed>& known = followed_.known[nested];
    for (const FollowedGraphs::Followed& before : known) {
      if (before.inputs == inputs_ && before.dims == dims_ && before.batches == batches_)
        return before.found;
    }
    const Graph& graph = nested->graph();
    std::vector<Tensor> given;
    PlacementOptions options = options_;
    options.sharded_inputs = {};
    options.partial_inputs = {};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      given.push_back(placeholder(graph.value(graph.inputs()[i]).dtype, dims_[i]));
      options.partial_inputs.push_back(inputs_[i].is_partial());
    }
    options.partial_outputs.assign(graph.outputs().size(), true);
    const Probe probe{batch_, GraphNumbers(graph, make_plan(graph, SizeSources(graph), given))};
    FoundPlacements found =
        find_(graph, rows_of(graph, probe, inputs_, batches_), probe, options, &inputs_);
    known.push_back({inputs_, dims_, batches_, std::move(found)});
    return known.back().found;
  }

  // Inputs that nodes of the graph add on the first process alone become terms of a sum: the node
  // around the graph masks them in their place. False: there are none.
  bool mask_inputs(const Graph& graph, const FoundPlacements& found) {
    bool changed = false;
    for (const auto& [node, change] : found.changes) {
      for (const size_t argument : change.masked) {
        const ValueId* id = tensor_of(graph.node(node).arguments[argument]);
        const auto at = id ? std::find(graph.inputs().begin(), graph.inputs().end(), *id)
                           : graph.inputs().end();
        const auto k = static_cast<size_t>(at - graph.inputs().begin());
        if (at == graph.inputs().end() || !(inputs_[k] == Placement{})) continue;
        inputs_[k] = Placement::partial();
        placed_.masked.push_back(first_ + k);
        changed = true;
      }
    }
    return changed;
  }

  // Follows the body until the placements of its carries no longer change. Its first inputs and
  // outputs are the carries. Null: it was refused.
  const FoundPlacements* follow_steps(const Nested& nested, size_t carries) {
    const Graph& body = nested->graph();
    for (;;) {
      const FoundPlacements& found = follow(nested);
      bool changed = false;
      for (size_t k = 0; k < carries; ++k) {
        const Placement next = found.of[index(body.outputs()[k].value)];
        if (next == inputs_[k]) continue;
        if (!next.is_partial() || !(inputs_[k] == Placement{})) {
          refuse("its steps take a carry that is " + to_string(inputs_[k]) +
                 " and make one that is " + to_string(next));
          return nullptr;
        }
        inputs_[k] = next;
        placed_.masked.push_back(first_ + k);
        changed = true;
      }
      if (changed || mask_inputs(body, found)) continue;
      return refuse_exchange(body, found) ? nullptr : &found;
    }
  }

  void scan() {
    const size_t carries = number_at("carries"), sequences = number_at("sequences");
    for (size_t i = carries; i < carries + sequences; ++i) {
      if (inputs_[i].is_sharded() && inputs_[i].axis == 0) return refuse("its steps are the rows");
      if (inputs_[i].is_sharded()) --inputs_[i].axis;
      dims_[i].erase(dims_[i].begin());
    }
    const Nested nested = nested_graph(node_, "body");
    const FoundPlacements* found = follow_steps(nested, carries);
    if (!found) return;
    keep_draws("body", *found);
    const Graph& body = nested->graph();
    for (size_t k = 0; k < body.outputs().size(); ++k) {
      placed_.outputs.push_back(found->of[index(body.outputs()[k].value)]);
      Placement& made = placed_.outputs.back();
      if (k >= carries && made.is_sharded()) ++made.axis;
    }
  }

  void repeat() {
    const Nested nested = nested_graph(node_, "body");
    const Graph& body = nested->graph();
    const FoundPlacements* found = follow_steps(nested, body.outputs().size());
    if (!found) return;
    const Nested test = nested_graph(node_, "condition");
    const Graph& condition = test->graph();
    const FoundPlacements& tested = follow(test);
    if (!(tested.of[index(condition.outputs().front().value)] == Placement{}))
      return refuse("its condition depends on all rows");
    if (refuse_exchange(condition, tested)) return;
    keep_draws("body", *found);
    keep_draws("condition", tested);
    for (const Output& output : body.outputs())
      placed_.outputs.push_back(found->of[index(output.value)]);
  }

  static bool is_zero(const Graph& graph, ValueId id) {
    const auto& nodes = graph.nodes();
    const auto maker = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const Node& node) { return node.outputs.front() == id; });
    return maker != nodes.end() && makes_zeros(*maker);
  }

  void choose() {
    const Nested first_branch = nested_graph(node_, "then");
    const Nested second_branch = nested_graph(node_, "otherwise");
    const Graph &then = first_branch->graph(), &otherwise = second_branch->graph();
    const FoundPlacements *first_found = nullptr, *second_found = nullptr;
    do {
      first_found = &follow(first_branch);
      second_found = &follow(second_branch);
    } while (mask_inputs(then, *first_found) || mask_inputs(otherwise, *second_found));
    const FoundPlacements &one = *first_found, &other = *second_found;
    if (refuse_exchange(then, one) || refuse_exchange(otherwise, other)) return;
    keep_draws("then", one);
    keep_draws("otherwise", other);
    for (size_t k = 0; k < then.outputs().size(); ++k) {
      const ValueId a = then.outputs()[k].value, b = otherwise.outputs()[k].value;
      const Placement &first = one.of[index(a)], &second = other.of[index(b)];
      const bool fits = first == second || (first.is_partial() && is_zero(otherwise, b)) ||
                        (second.is_partial() && is_zero(then, a));
      if (!fits) {
        return refuse("its branches make a value that is " + to_string(first) +
                      ", and one that is " + to_string(second));
      }
      placed_.outputs.push_back(first.is_partial() ? first : second);
    }
  }

  const Node& node_;
  const int64_t batch_;
  const PlacementOptions& options_;
  const FindPlacements& find_;
  FollowedGraphs& followed_;
  const size_t first_;             // of the arguments that the graphs read
  std::vector<Placement> inputs_;  // of the graphs
  std::vector<Dims> dims_;         // of the inputs
  std::vector<std::optional<size_t>> batches_;
  NestedPlacements placed_;
};

}  // namespace

bool makes_zeros(const Node& node) {
  if (node.op->name != "fill_like") return false;
  const Datum& number = std::get<Datum>(node.arguments[node.argument_index("number")]);
  return number.kind() == kind::float_value && number.real() == 0;
}

NestedArguments arguments_of(const Graph& graph, const Node& node, const BatchRows& rows,
                             std::span<const Placement> placements, const std::vector<Dims>& dims) {
  NestedArguments arguments{placements, dims};
  arguments.batches.resize(placements.size());
  for (size_t i = 0; i < placements.size(); ++i) {
    if (!placements[i].is_sharded()) continue;
    const Value& value = graph.value(*tensor_of(node.arguments[i]));
    if (value.ranked) arguments.batches[i] = rows.batch_of(value.dims[placements[i].axis]);
  }
  return arguments;
}

NestedPlacements place_nested(const Node& node, const NestedArguments& arguments, int64_t batch,
                              const PlacementOptions& options, const FindPlacements& find,
                              FollowedGraphs& followed) {
  return NestedPlacing(node, arguments, batch, options, find, followed).run();
}

bool takes_terms(const Node& node, const NestedArguments& arguments, int64_t batch,
                 const PlacementOptions& options, const FindPlacements& find,
                 FollowedGraphs& followed) {
  const std::span<const Placement> placements = arguments.placements;
  const bool reads_rows =
      std::any_of(placements.begin(), placements.end(),
                  [](const Placement& placement) { return placement.is_sharded(); });
  if (!has_nested_graphs(node) || !reads_rows) return false;
  const size_t first = node.argument_index("arguments");
  for (size_t i = 0; i < placements.size(); ++i) {
    const bool is_read = i >= first && i < first + node.list_size();
    if (!is_read && placements[i].is_partial()) return false;  // the condition of a choice
  }
  try {
    return place_nested(node, arguments, batch, options, find, followed).why.empty();
  } catch (const Error& error) {
    if (error.code() != "E0950") throw;
    return false;  // they may compute with the sums
  }
}

}  // namespace mithril
