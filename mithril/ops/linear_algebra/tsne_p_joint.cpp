// tsne_p_joint: the joint probabilities of t-SNE.
#include "mithril/ops/support/gaussian_affinities.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_tsne_p_joint() {
  return {
      .name = "tsne_p_joint",
      .doc =
          "The joint probabilities of t-SNE (https://jmlr.org/papers/v9/vandermaaten08a.html). "
          "Each point has a Gaussian of its squared distances with perplexity `target_perplexity` "
          "and a bandwidth of at most 1001. Probabilities are clamped to [threshold, 1 - "
          "threshold]; threshold=None is 2**-52.",
      .inputs = {{"squared_distances", "N N", "float"},
                 {"target_perplexity", "", "operand"},
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N N", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression squares = e.in("squared_distances");
            const std::vector<Expression> bandwidths =
                call_all("tsne_bandwidths",
                         {squares, e.operand("target_perplexity"), e.operand("threshold")});
            const Expression one_way =
                gaussian_affinities(squares, bandwidths[0], bandwidths[1]).probabilities;
            const Expression points = call("sum", {call("fill_like", {bandwidths[0], 1.0})});
            e.become((one_way + transposed(one_way)) / (points * 2.0));
          },
      .dtype_from = "squared_distances",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
