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

// The graph and its text. Either is made from the other on first use. Results of analyses are
// cached, so the work for a loop does not depend on how many loops are around it.
class NestedGraph final : public TextSource {
 public:
  explicit NestedGraph(Graph graph);
  explicit NestedGraph(std::string text);

  const std::string& text() const override;
  bool is_same(const TextSource& other) const override;  // up to the names of symbols
  size_t hash() const override;

  const Graph& graph() const;  // passes may not add facts to it
  Graph copy() const;          // with new symbols
  // Whether a node, or one in its graphs, has an op with `expand`.
  bool has_expandable() const;
  // The cached result of `analyse(graph())`, which runs once for each analysis.
  enum class Analysis : uint8_t { dependence_on_values, dependence_on_floats };
  using Result = std::vector<std::vector<bool>>;
  const Result& cached(Analysis analysis, Result (*analyse)(const Graph&)) const;

 private:
  mutable std::once_flag text_once_, graph_once_, hash_once_, expandable_once_, analysed_once_[2];
  mutable std::optional<std::string> text_;
  mutable std::optional<Graph> graph_;
  mutable size_t hash_ = 0;
  mutable bool expandable_ = false;
  mutable Result results_[2];
};

// The value of a port in nested_graph_ports, and the graph of such a value.
Datum nested_datum(const Graph& graph);
std::shared_ptr<const NestedGraph> nested_graph(const Datum& datum);
std::shared_ptr<const NestedGraph> nested_graph(const Node& node, std::string_view port);
// Replaces string arguments that are texts of graphs by NestedGraphs, which parse each text once.
void keep_nested_graphs(Node& node);

// Whether its op, or one in its graphs, has `expand`.
bool is_expandable(const Node& node);

// Counts the texts of nested graphs that this thread has written or parsed, and the copies that it
// has made. Tests read it.
struct NestedWork {
  int64_t texts = 0, copies = 0;
};
NestedWork& nested_work();

}  // namespace mithril
