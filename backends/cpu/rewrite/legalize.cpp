#include "backends/cpu/rewrite/legalize.hpp"

#include <utility>

#include "backends/cpu/rewrite/decompose_batch_norm.hpp"
#include "backends/cpu/rewrite/fold_padding.hpp"
#include "backends/cpu/rewrite/fuse_multiply_adds.hpp"
#include "backends/cpu/rewrite/join_slice_gradients.hpp"
#include "backends/cpu/rewrite/legalize_half.hpp"
#include "backends/cpu/rewrite/narrow_integer_products.hpp"
#include "mithril/graph/short_text.hpp"

namespace mithril::cpu_backend {

Graph legalize(Graph graph, const Config& config) {
  const auto dump = [&](std::string_view pass) {
    if (config.dump) config.dump(pass, short_text(graph));
  };

  if (!config.observer) graph = decompose_batch_norm(std::move(graph));
  dump("decompose_batch_norm");

  if (config.fuse && !config.observer) graph = fold_padding(std::move(graph));
  dump("fold_padding");

  if (config.fuse && !config.observer) graph = join_slice_gradients(std::move(graph));
  dump("join_slice_gradients");

  if (config.fuse && !config.observer) graph = narrow_integer_products(std::move(graph));
  dump("narrow_integer_products");

  if (config.fuse && !config.observer) graph = fuse_multiply_adds(std::move(graph));
  dump("fuse_multiply_adds");

  graph = legalize_half(std::move(graph), config);
  dump("legalize_half");
  return graph;
}

}  // namespace mithril::cpu_backend
