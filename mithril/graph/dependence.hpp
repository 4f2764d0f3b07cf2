// Which results depend on which arguments.
#pragma once
#include <cstdint>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

class NestedGraph;

// Per result, per argument: whether the result may depend on it. The results of an op that is
// neither a loop nor a choice depend on all its arguments.
using Dependence = std::vector<std::vector<bool>>;
// contents: all values, but not through ports `like`, which read sizes only.
enum class Through : uint8_t { all_values, floats, contents };

// Of the outputs of a graph on its inputs.
Dependence dependence(const Graph& graph, Through through = Through::all_values);
Dependence dependence(const NestedGraph& graph, Through through);  // cached, but for contents
// Of the outputs of a node on its arguments. A result of a loop depends on what an earlier step
// read. Work: each nested graph is visited once.
Dependence dependence(const Graph& graph, const Node& node, Through through = Through::all_values);

// Per argument, whether the node reads only its sizes.
std::vector<bool> read_for_sizes(const Node& node);

// Whether an output that depends on these arguments depends on one of some.
bool depends_on(const std::vector<bool>& arguments, const std::vector<bool>& some);

// `step`: of the body of a loop, whose first inputs and outputs are the carries. Adds to marked
// inputs the carries whose next values depend on them, and to marked outputs the carries that they
// read.
void add_changed_carries(const Dependence& step, size_t carries, std::vector<bool>& inputs);
void add_read_carries(const Dependence& step, size_t carries, std::vector<bool>& outputs);
// `incoming`: inputs of the gradient of a step, those of the carries first. Marks the carries whose
// results, their gradients before the step, depend on marked inputs.
void add_reached_carries(const Graph& step, const std::vector<ValueId>& incoming,
                         const std::vector<ValueId>& results, std::vector<bool>& marked);

}  // namespace mithril
