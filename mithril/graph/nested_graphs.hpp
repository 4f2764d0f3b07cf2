// Nodes that contain graphs: loops and branches.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/graph/nested_graph.hpp"

namespace mithril {

class Observer;

std::vector<Graph> nested_graphs(const Node& node);  // in the order of the ports

// The dtypes and dims of the outputs of such a node, for its port `results`, and read from there.
Datum results_of_nested(const std::vector<Value>& outputs);
std::vector<Value> nested_results(const Node& node);  // without names

// Adds a node of another graph, with mapped arguments, and maps its outputs.
void copy_node(const Graph& from, const Node& node, Graph& to,
               std::unordered_map<ValueId, ValueId>& mapped);
// `prefix`, repeated until no value has a name that begins with it.
std::string free_prefix(const Graph& graph, const std::string& prefix);

// Whether the observer wants a value of the graph, or of a graph in it.
bool observes(const Observer& observer, const Graph& graph);

// While it exists, this thread runs a loop. Observers of its values read the step.
class StepScope {
 public:
  // `numbers`: of the steps (ScanLoop::numbers).
  explicit StepScope(const Datum& numbers = {});
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;
  void set(int64_t step);

 private:
  const size_t outer_steps_;
  int64_t first_ = 0, stride_ = 1, before_ = 0;
  bool added_ = false;  // to the number of the loop around this one
};
// The steps of the loops that this thread runs, the outermost first. In a loop over sequences a
// step is the index of the elements that it reads.
std::span<const int64_t> running_steps();

// While it exists, the `eval` of nodes shows values of their graphs to the observer, in this
// thread.
class ObserverScope {
 public:
  explicit ObserverScope(const Observer* observer);  // null: no value is shown
  ~ObserverScope();
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  const Observer* const outer_;
};
const Observer* running_observer();

// ShapeError E0210 if a nested graph makes other dims than the node states for an output.
// `op`: the name of the node's op. `name`: of the output.
void check_stated_dims(std::string_view op, const std::string& name, const Dims& stated,
                       const Dims& made);

}  // namespace mithril
