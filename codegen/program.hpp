// What is to be written of a graph: in which order, what is one loop, and where each value stands.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// How a node is written.
enum class Form : uint8_t {
  loop,      // its formula, for each element
  view,      // the elements of its first argument under other dims
  copy,      // the same in another width
  constant,  // computed now: it reads no tensor
  kernel,    // a call of the snippet of its name
};

// One statement: a node, or several whose formulas make one loop.
struct Statement {
  Form form;
  std::vector<size_t> nodes;  // of the plan, in the order of the graph
};

// Where a value's elements stand. Views stand where the value does that they are views of.
struct BufferRef {
  enum class Kind : uint8_t {
    nowhere,  // made and read within one loop
    input,    // index: of graph.inputs()
    output,   // index: of graph.outputs()
    constant,
    workspace,  // offset: in bytes
  };
  Kind kind = Kind::nowhere;
  size_t index = 0;
  int64_t offset = 0;
};

struct Program {
  Graph graph;
  Plan plan;
  std::vector<Dims> dims;                        // per value
  std::vector<std::optional<Tensor>> constants;  // per value, as given or computed now
  std::vector<std::vector<ValueId>> reads;       // per node: the tensors that what is written names
  std::vector<Statement> statements;
  std::vector<BufferRef> places;  // per value
  std::vector<size_t> copied;     // outputs that stand elsewhere, and are copied at the end
  int64_t workspace_bytes = 0;

  const Node& node(size_t i) const { return graph.nodes()[i]; }
  const Dims& dims_of(ValueId id) const { return dims[index(id)]; }
};

// For inputs of these dims. InputError where these contradict the graph; BackendError E1031 for ops
// that have neither a formula nor a kernel, E1032 for dtypes that C++ has no type for.
Program make_program(const Graph& graph, const std::vector<Dims>& inputs);

}  // namespace mithril::codegen
