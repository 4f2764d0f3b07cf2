// The program written for a graph: the order of statements, the nodes of each loop, and the buffer
// of each value.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/common/language.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// How a node is written.
enum class StatementKind : uint8_t {
  loop,      // its formula, for each element
  view,      // the elements of its first argument with other dims
  copy,      // the same with another dtype
  constant,  // evaluated while writing: it reads no tensor
  kernel,    // a call of the snippet with its name
};

// One statement: a node, or several nodes whose formulas share a loop.
struct Statement {
  StatementKind kind;
  std::vector<size_t> nodes;  // of the plan, in the order of the graph
};

// The buffer of a value. A view has the buffer of its source.
struct BufferRef {
  enum class Kind : uint8_t {
    loop_local,  // it lives within one loop
    input,       // index: of graph.inputs()
    output,      // index: of graph.outputs()
    constant,
    workspace,  // offset: in bytes
  };
  Kind kind = Kind::loop_local;
  size_t index = 0;
  int64_t offset = 0;
};

struct Program {
  Graph graph;
  Plan plan;
  std::vector<Dims> dims;  // per value
  // per value, as in the graph or evaluated while writing
  std::vector<std::optional<Tensor>> constants;
  std::vector<std::vector<ValueId>> reads;  // per node: the tensors that its text names
  std::vector<Statement> statements;
  std::vector<BufferRef> buffers;  // per value
  std::vector<size_t> copied;      // outputs in other buffers, which are copied at the end
  int64_t workspace_bytes = 0;
  std::vector<size_t> refused;  // nodes that the language cannot compute; then only dims are set

  const Node& node(size_t i) const { return graph.nodes()[i]; }
  const Dims& dims_of(ValueId id) const { return dims[index(id)]; }
};

// For inputs of these dims. InputError if they contradict the graph; BackendError E1032 for dtypes
// that have no type in the language.
Program make_program(const Graph& graph, const std::vector<Dims>& inputs, const Language& language);

// BackendError E1031 with all nodes that have neither a formula nor a kernel.
void check_ops(std::span<const Program* const> programs, const Language& language);

}  // namespace mithril::codegen
