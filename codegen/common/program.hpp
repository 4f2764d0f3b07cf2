// The program written for a graph: the order of statements, the nodes of each loop, and the buffer
// of each value.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
  block,     // nested statements: a loop or a choice
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

struct SourceProgram;

enum class BlockKind : uint8_t {
  steps,       // a loop of a known number of steps
  choice,      // one of two bodies, by a condition outside
  while_loop,  // a loop that a condition ends
};

// The nested statements of a node. Its arguments and outputs are those of the node.
struct Block {
  BlockKind kind;
  std::vector<ValueId> arguments;
  // Of a loop of steps: one step, or no body if there are 0 steps. Of a choice: then, otherwise. Of
  // a loop that a condition ends: the condition, one step.
  std::vector<SourceProgram> bodies;
  std::optional<ValueId> condition = {};  // of a choice: a scalar bool outside
  size_t carries = 0, sequences = 0;
  int64_t steps = 0;
  bool reverse = false;  // the last step comes first
  // Of the workspace that the bodies share, then of the result of the condition of a loop, then of
  // a second buffer for each carry.
  int64_t bytes = 0;
  int64_t goes_on = 0;               // the offset of that result in these bytes
  std::vector<int64_t> spares = {};  // per carry: the offset in these bytes
  int64_t offset = 0;  // of these bytes, in the workspace of the program around the node

  const SourceProgram& step() const;
};

// A graph as statements of a programming language.
struct SourceProgram {
  Graph graph;
  Plan plan;
  std::vector<Dims> dims;  // per value
  // per value, as in the graph or evaluated while writing
  std::vector<std::optional<Tensor>> constants;
  std::vector<std::vector<ValueId>> reads;  // per node: the tensors that its text names
  std::vector<Statement> statements;
  std::map<size_t, Block> blocks;  // per node with nested statements
  std::vector<BufferRef> buffers;  // per value
  std::vector<size_t> copied;      // outputs in other buffers, which are copied at the end
  int64_t workspace_bytes = 0;
  std::vector<size_t> refused;  // nodes that the language cannot compute; then only dims are set

  const Node& node(size_t i) const { return graph.nodes()[i]; }
  const Dims& dims_of(ValueId id) const { return dims[index(id)]; }
};

inline const SourceProgram& Block::step() const { return bodies.back(); }

// Per value of the graph: whether a statement reads it, or it is copied to an output.
std::vector<bool> values_read(const SourceProgram& program);

}  // namespace mithril::codegen
