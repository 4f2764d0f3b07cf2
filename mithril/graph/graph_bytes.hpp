// Graphs as bytes, for the cache: fast, but only readable by the build that wrote them. The text
// form is stable.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// Graphs of the same bytes are equal in all that a pass can see, names and definitions of symbols
// included.
struct GraphBytes {
  std::string bytes;
  std::vector<size_t> values;  // where the description of each begins, and how long it is
  std::vector<Dim> symbols;    // in the order of the bytes
};
// Nothing where a graph has no such form: a size that is defined by itself, or constants that are
// elsewhere or larger than 16 MiB together.
std::optional<GraphBytes> to_bytes(const Graph& graph);

// What a pass, or a differentiation, has made of `base`, whose bytes were taken before. Nothing
// where it has no such form.
std::optional<std::string> bytes_of_made(const Graph& made, const Graph& base,
                                         const GraphBytes& of_base);
// The same again, sharing the facts of `base`, a graph of the same bytes. Nothing for bytes that
// do not describe a graph. The graph need not be valid (verify).
std::optional<Graph> made_from_bytes(std::string_view bytes, const Graph& base,
                                     const GraphBytes& of_base);

}  // namespace mithril
