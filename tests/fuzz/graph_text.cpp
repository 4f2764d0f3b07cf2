// The text of graphs: a parsed graph is written and read back; its bytes give the same graph.
#include "mithril/graph/graph.hpp"
#include "mithril/graph/graph_bytes.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mithril;
  fuzz::set_small_limits();
  const auto graph = fuzz::unless_refused([&] { return parse_graph(fuzz::text_of(data, size)); });
  if (!graph) return 0;
  const std::string text = to_string(*graph);
  const Graph again = parse_graph(text);
  const std::string again_text = to_string(again);
  fuzz::require(again_text == text,
                "a graph is written as it was before:\n" + text + "but\n" + again_text);
  fuzz::require(again == *graph, "a graph equals what is read from its text:\n" + text);
  const Graph nothing;
  const auto of_nothing = to_bytes(nothing);
  const auto bytes = bytes_of_made(*graph, nothing, *of_nothing);
  if (!bytes) return 0;
  const auto from_bytes = made_from_bytes(*bytes, nothing, *of_nothing);
  fuzz::require(from_bytes && *from_bytes == *graph,
                "bytes give the graph of the text:\n" + text + "but\n" +
                    (from_bytes ? to_string(*from_bytes) : "nothing"));
  return 0;
}
