// The sources of the sizes of a graph: its inputs, or the inference of a node with numbers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/infer/size_program.hpp"

namespace mithril {

// A dim or an int: a number, or a result of the program of the node's stage.
struct SizeSource {
  int64_t number = 0;
  int32_t index = -1;  // of the program's values; -1: `number`
};
struct NodeSizeSources {
  int32_t stage = 0;
  // the sizes of outputs are not computable: the node is inferred with numbers
  bool inferred = false;
  size_t first_size = 0;  // of its sizes
};

// A dim that is observed when it is known: of an input, or of an output of an inferred node.
struct Observed {
  ValueId value;
  size_t dim;
};

// The first stage observes the inputs. Each further one also observes sizes that were inferred
// before it.
struct Stage {
  SizeProgram program = {};
  std::vector<Observed> observed = {};
};

// Made once for a graph; does not read facts afterwards.
class SizeSources {
 public:
  // The graph outlives it. ValueError E0403 for a number that follows from no size.
  explicit SizeSources(const Graph& graph);

  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<NodeSizeSources>& nodes() const { return nodes_; }  // as the graph's
  // The ints in the values of a node's arguments, in the order of map_dims, and the dims of its
  // outputs, unless it is inferred.
  const SizeSource* sizes(const NodeSizeSources& node) const {
    return sizes_.data() + node.first_size;
  }
  // "[N, 3]", for messages about a value that is observed.
  std::string text(ValueId id) const;

 private:
  void observe(ValueId id);
  void add_node(const Node& node);
  void begin_stage(const Node& node);
  bool follows(const Value& value) const;
  void add_size(const Dim& dim, bool of_shape);
  [[noreturn]] void refuse_unknown(const Node& node, const std::string& port) const;
  SizeProgram& program() { return stages_.back().program; }

  const Graph& graph_;
  std::vector<Stage> stages_;
  std::vector<NodeSizeSources> nodes_;
  std::vector<SizeSource> sizes_;
  std::vector<std::pair<ValueId, std::string>> texts_;
};

}  // namespace mithril
