// The bytes of graphs: any input is refused, or makes a graph; a valid graph is written and read
// back. The format depends on the build, so an input is the text of a graph, a NUL, and changes of
// its bytes: the position (two bytes) and the new byte.
#include "mithril/graph/graph_bytes.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;

// Has values and symbols to which the graph that is read can refer.
const Graph& base() {
  static const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float32[N, 3]\n"
      "  input w: float32[4, 3]\n"
      "  y: float32[N, 3] = relu(input: x)\n"
      "  output y = y\n"
      "}\n");
  return graph;
}

// Texts and changed bytes may state wrong facts. GraphCache refuses such graphs, too.
bool is_valid(const Graph& graph) {
  try {
    verify(graph);
    return true;
  } catch (const InternalError&) {
    return false;
  }
}

std::string changed(std::string bytes, std::string_view changes) {
  for (; changes.size() >= 3 && !bytes.empty(); changes.remove_prefix(3)) {
    const size_t at = static_cast<unsigned char>(changes[0]) * size_t{256} +
                      static_cast<unsigned char>(changes[1]);
    bytes[at % bytes.size()] = changes[2];
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::set_small_limits();
  static const GraphBytes of_base = *to_bytes(base());
  const std::string_view input = fuzz::text_of(data, size);
  const size_t end = std::min(input.find('\0'), input.size());
  const auto graph = fuzz::unless_refused([&] { return parse_graph(input.substr(0, end)); });
  const auto whole =
      graph && is_valid(*graph) ? bytes_of_made(*graph, base(), of_base) : std::nullopt;
  if (!whole) return 0;
  const std::string_view changes = input.substr(std::min(end + 1, input.size()));
  const auto made = made_from_bytes(changed(*whole, changes), base(), of_base);
  if (!made || !is_valid(*made)) {
    fuzz::require(!changes.empty(), "bytes that were written are read");
    return 0;
  }
  const auto again_bytes = bytes_of_made(*made, base(), of_base);
  if (!again_bytes) return 0;
  const auto again = made_from_bytes(*again_bytes, base(), of_base);
  fuzz::require(again && *again == *made, "a graph equals what is read from its bytes");
  fuzz::require(to_string(*again) == to_string(*made), "and so do the texts");
  return 0;
}
