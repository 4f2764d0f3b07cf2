// The graph of a loop or a branch, as the value of a port.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/infer/text_source.hpp"

namespace mithril {

// The ports of the op at which a node has the text of a graph; empty: it has none.
const std::vector<std::string_view>& nested_graph_ports(const OpDef& op);
bool has_nested_graphs(const Node& node);

// A string to whoever reads it as one. Its text is written, or read, when it is first asked for,
// and what has been found out about the graph is kept: a loop in loops takes no more work than one
// beside them.
class NestedGraph final : public TextSource {
 public:
  explicit NestedGraph(Graph graph);
  explicit NestedGraph(std::string text);

  const std::string& text() const override;
  bool is_same(const TextSource& other) const override;  // up to the names of symbols
  size_t hash() const override;

  const Graph& graph() const;  // to be read: no facts are added
  Graph copy() const;          // has symbols of its own
  // Whether a node, or one in its graphs, has an op with `expand`.
  bool has_expandable() const;
  // What `find` returns, which is called once for 0 and once for 1.
  using Found = std::vector<std::vector<bool>>;
  const Found& find_once(size_t kind, Found (*find)(const Graph&)) const;

 private:
  mutable std::once_flag text_once_, graph_once_, hash_once_, expandable_once_, found_once_[2];
  mutable std::optional<std::string> text_;
  mutable std::optional<Graph> graph_;
  mutable size_t hash_ = 0;
  mutable bool expandable_ = false;
  mutable Found found_[2];
};

// The value of a port in nested_graph_ports, and the graph of such a value.
Datum nested_datum(const Graph& graph);
std::shared_ptr<const NestedGraph> nested_graph(const Datum& datum);
std::shared_ptr<const NestedGraph> nested_graph(const Node& node, std::string_view port);
// Lets a node whose graphs are texts keep them once they are read.
void keep_nested_graphs(Node& node);

// Whether its op, or one in its graphs, has `expand`.
bool is_expandable(const Node& node);

// How many texts of nested graphs this thread has written or read, and how many copies it has made:
// for tests of the work.
struct NestedWork {
  int64_t texts = 0, copies = 0;
};
NestedWork& nested_work();

}  // namespace mithril
