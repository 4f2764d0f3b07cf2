#include "mithril/passes/divide_loops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mithril/graph/expression.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

constexpr int64_t fewest_steps_to_divide = 4;
constexpr int64_t steps_of_open_segment = 32;  // of a loop of an unknown number of steps

Dim length_of(const ScanLoop& scan) { return resolve(scan.length.dim()); }

bool is_divided(const ScanLoop& scan) {
  const Dim length = length_of(scan);
  return !length.is_constant() || length.constant() >= fewest_steps_to_divide;
}

// About the root of the length. A divisor of it leaves no steps over, whose elements are copied.
int64_t steps_of_segment(const Dim& steps_of_loop) {
  if (!steps_of_loop.is_constant()) return steps_of_open_segment;
  const int64_t length = steps_of_loop.constant();
  const auto root = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(length))));
  for (int64_t steps = root; 2 * steps >= root; --steps) {
    if (length % steps == 0) return steps;
  }
  return root;
}

// Elements of the sequences and stacks of a loop.
struct ElementRange {
  Dim begin, count;
};

class DividedLoop {
 public:
  // `scan`: of the graph before the pass.
  DividedLoop(Rebuilder& rebuilder, const std::string& name, ScanLoop scan)
      : graph_(rebuilder.graph()),
        scan_(std::move(scan)),
        scope_(name + ".divided"),
        length_(length_of(scan_)),
        steps_(steps_of_segment(length_)),
        segments_(floor_divide(length_, Dim(steps_))) {
    for (ValueId& id : scan_.arguments) id = rebuilder.map(id);
    const ElementRange whole{0, segments_ * steps_}, rest{whole.count, length_ - whole.count};
    const bool has_rest = !rest.count.is_constant(0);
    carries_.assign(scan_.arguments.begin(), scan_.arguments.begin() + count(scan_.carries));
    std::vector<ValueId> of_segments, of_rest;
    if (scan_.reverse && has_rest) of_rest = run(rest);
    of_segments = run_segments(whole);
    if (!scan_.reverse && has_rest) of_rest = run(rest);
    results_ = carries_;
    for (size_t k = 0; k < of_segments.size(); ++k) {
      const Expression stack = at(of_segments[k]);
      results_.push_back(has_rest ? call("concat", {stack, at(of_rest[k]), 0}).id : stack.id);
    }
  }

  // The last carries, then the stacks.
  const std::vector<ValueId>& results() const { return results_; }

 private:
  static std::ptrdiff_t count(size_t items) { return static_cast<std::ptrdiff_t>(items); }
  Expression at(ValueId id) { return {&graph_, id, &scope_}; }
  bool is_carry(size_t i) const { return i < scan_.carries; }
  bool is_sequence(size_t i) const { return !is_carry(i) && i < scan_.carries + scan_.sequences; }

  Expression elements(ValueId sequence, ElementRange range) {
    if (same(range.count, length_)) return at(sequence);
    const Datum begin = Datum::dims({range.begin}), end = Datum::dims({range.begin + range.count});
    return call("slice", {at(sequence), begin, end});
  }

  // Sets the carries to those that a loop has made, and returns its stacks.
  std::vector<ValueId> take(const std::vector<ValueId>& made) {
    const auto stacks = made.begin() + count(scan_.carries);
    carries_.assign(made.begin(), stacks);
    return {stacks, made.end()};
  }

  std::vector<ValueId> run(ElementRange range) {
    ScanLoop loop = scan_;
    loop.length = Datum(range.count);
    loop.numbers = step_numbers(range.begin, 1, false);
    for (size_t i = 0; i < loop.arguments.size(); ++i) {
      if (is_carry(i)) loop.arguments[i] = carries_[i];
      if (is_sequence(i)) loop.arguments[i] = elements(loop.arguments[i], range).id;
    }
    return take(add_scan(graph_, loop, scope_ + ".rest"));
  }

  std::vector<ValueId> run_segments(ElementRange range) {
    ScanLoop loop = scan_;
    loop.length = Datum(segments_);
    loop.numbers = step_numbers(0, steps_, false);
    loop.body = segment();
    for (size_t i = 0; i < loop.arguments.size(); ++i) {
      if (is_carry(i)) loop.arguments[i] = carries_[i];
      if (is_sequence(i)) loop.arguments[i] = in_segments(loop.arguments[i], range);
    }
    std::vector<ValueId> stacks = take(add_scan(graph_, loop, scope_));
    for (ValueId& stack : stacks) stack = joined(stack, range.count);
    return stacks;
  }

  // The body of the loop over segments: a loop over the steps of one.
  Graph segment() const {
    Graph body;
    body.share_facts(scan_.body);
    body.set_default_dtype(scan_.body.default_dtype());
    ScanLoop steps = scan_;
    steps.length = Datum(steps_);
    steps.numbers = step_numbers(0, 1, true);
    for (size_t i = 0; i < steps.arguments.size(); ++i) {
      Value value = scan_.body.value(scan_.body.inputs()[i]);
      if (is_sequence(i)) value.dims.insert(value.dims.begin(), Dim(steps_));
      steps.arguments[i] = body.add_input(std::move(value));
    }
    const std::vector<ValueId> made = add_scan(body, steps, "segment");
    for (size_t k = 0; k < made.size(); ++k)
      body.add_output(scan_.body.outputs()[k].name + ".of_segment", made[k]);
    return body;
  }

  ValueId in_segments(ValueId sequence, ElementRange range) {
    const Expression used = elements(sequence, range);
    std::vector<Dim> dims(used.dims().begin() + 1, used.dims().end());
    dims.insert(dims.begin(), {segments_, Dim(steps_)});
    return call("reshape", {used, Datum::dims(dims)}).id;
  }

  ValueId joined(ValueId stack, const Dim& length) {
    const Expression segments = at(stack);
    std::vector<Dim> dims(segments.dims().begin() + 2, segments.dims().end());
    dims.insert(dims.begin(), length);
    return call("reshape", {segments, Datum::dims(dims)}).id;
  }

  Graph& graph_;
  ScanLoop scan_;
  const std::string scope_;
  const Dim length_;
  const int64_t steps_;  // of a segment
  const Dim segments_;
  std::vector<ValueId> carries_;  // after the steps so far
  std::vector<ValueId> results_;
};

// The node with divided loops in its graphs. No gradient flows through a loop with a condition.
Node with_divided_graphs(const Node& node) {
  Node divided = node;
  if (is_while(node)) return divided;
  for (const std::string_view port : nested_graph_ports(*node.op)) {
    Argument& text = divided.arguments[node.argument_index(port)];
    const Graph graph = nested_graph(std::get<Datum>(text))->copy();
    const auto& nodes = graph.nodes();
    if (std::any_of(nodes.begin(), nodes.end(), has_nested_graphs))
      text = nested_datum(divide_loops(graph));
  }
  return divided;
}

}  // namespace

Graph divide_loops(const Graph& graph) {
  Rebuilder rebuilder(graph);
  for (const Node& given : graph.nodes()) {
    const Node node = with_divided_graphs(given);
    if (!is_scan(node) || !is_divided(scan_of(node))) {
      rebuilder.keep(node);
      continue;
    }
    const std::string& name = graph.value(node.outputs.front()).name;
    const DividedLoop divided(rebuilder, name, scan_of(node));
    for (size_t k = 0; k < node.outputs.size(); ++k)
      rebuilder.become(node.outputs[k], divided.results()[k]);
  }
  return rebuilder.finish();
}

}  // namespace mithril
