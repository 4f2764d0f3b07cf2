#include "backends/cpu/rewrite/legalize.hpp"

#include "backends/cpu/rewrite/decompose_batch_norm.hpp"
#include "backends/cpu/rewrite/fold_padding.hpp"
#include "backends/cpu/rewrite/join_slice_gradients.hpp"
#include "backends/cpu/rewrite/legalize_half.hpp"
#include "backends/cpu/rewrite/narrow_integer_products.hpp"
#include "mithril/graph/short_text.hpp"

namespace mithril::cpu_backend {

Graph legalize(const Graph& graph, const Config& config) {
  const auto dump = [&](std::string_view pass, const Graph& legal) {
    if (config.dump) config.dump(pass, short_text(legal));
  };

  Graph legal = config.observer ? graph : decompose_batch_norm(graph);
  dump("decompose_batch_norm", legal);

  if (config.fuse && !config.observer) legal = fold_padding(legal);
  dump("fold_padding", legal);

  if (config.fuse && !config.observer) legal = join_slice_gradients(legal);
  dump("join_slice_gradients", legal);

  if (config.fuse && !config.observer) legal = narrow_integer_products(legal);
  dump("narrow_integer_products", legal);

  legal = legalize_half(legal, config);
  dump("legalize_half", legal);
  return legal;
}

}  // namespace mithril::cpu_backend
