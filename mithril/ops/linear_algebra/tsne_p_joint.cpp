// tsne_p_joint: how likely two points are neighbours, for t-SNE.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/neighbours.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_tsne_p_joint() {
  return {
      .name = "tsne_p_joint",
      .doc =
          "The joint probabilities of t-SNE (https://jmlr.org/papers/v9/vandermaaten08a.html): for "
          "each point a bell over its squared distances, as wide as gives `target_perplexity`, at "
          "most 1001; probabilities count from `threshold` (None: 2**-52) up to 1 - threshold.",
      .inputs = {{"squared_distances", "N N", "float"},
                 {"target_perplexity", "", "operand"},
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N N", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression squares = e.in("squared_distances");
            const std::vector<Expression> bells = call_all(
                "bell_widths", {squares, e.operand("target_perplexity"), e.operand("threshold")});
            const Expression one_way = bells_over(squares, bells[0], bells[1]).probabilities;
            const Expression points = call("sum", {call("fill_like", {bells[0], 1.0})});
            e.become((one_way + transposed(one_way)) / (points * 2.0));
          },
      .dtype_from = "squared_distances",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
