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
  std::vector<size_t> values;  // the first byte of each description, and its length
  std::vector<Dim> symbols;    // in the order of the bytes
};
// None if the graph has no such form: a size that is defined by itself, or constants that are on
// another device or larger than 16 MiB together.
std::optional<GraphBytes> to_bytes(const Graph& graph);

// The result of a pass, or of a differentiation, of `base`, whose bytes were made before. None if
// it has no such form.
std::optional<std::string> bytes_of_made(const Graph& made, const Graph& base,
                                         const GraphBytes& of_base);
// Reads it back, sharing the facts of `base`, a graph of the same bytes. None for bytes that do not
// describe a graph. The graph need not be valid (verify).
std::optional<Graph> made_from_bytes(std::string_view bytes, const Graph& base,
                                     const GraphBytes& of_base);

}  // namespace mithril
