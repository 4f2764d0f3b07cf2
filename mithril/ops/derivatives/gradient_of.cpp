// gradient_of: the gradient of a tensor by others that it depends on.
#include "mithril/graph/reverse_mode.hpp"
#include "mithril/ops/support/collectives.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_gradient(Solver& s) {
  const bool known = solve_mirrored_list(s, "wrt", "gradients");
  const Kinds form = s.form("seed");
  if (form == 0) return false;
  if (form & kind::tensor) return known;
  std::vector<Dim> dims;
  if (!s.shape("of", dims)) return false;
  if (!dims.empty())
    s.reject("the gradient of a tensor that is no scalar needs a seed",
             "a scalar, or a seed: 1.0 gives the gradient of the sum", to_string(dims),
             ErrorKind::shape);
  return known;
}

// The seed of a scalar. It reads the scalar only where the rank is checked when it runs.
Expression one_for(const Expression& of) {
  const Expression one = call_in(of, "full", {Datum::dims({}), 1.0, Datum(of.dtype())});
  return of.ranked() ? one : call("same_shape", {one, of});
}

void expand_gradient(ExpandContext& c) {
  std::vector<ValueId> wanted;
  for (int k = 0; k < c.list_size(); ++k) wanted.push_back(c.in("wrt", k).id);
  const Expression of = c.in("of");
  const Expression seed = c.has("seed") ? c.in("seed") : one_for(of);
  ReverseMode reverse(*of.graph, *of.scope + ".", wanted);
  reverse.seed(of.id, seed.id);
  reverse.run();
  for (int k = 0; k < c.list_size(); ++k) {
    const Expression& by = c.in("wrt", k);
    const ValueId gradient = reverse.gradient_or_zeros(by.id, by.value().name);
    c.become({of.graph, gradient, of.scope}, k);
  }
}

}  // namespace

OpDef define_gradient_of() {
  return {
      .name = "gradient_of",
      .doc =
          "The gradients of the sum of of * seed with respect to each tensor of `wrt`; without a "
          "seed those of a scalar. The paths from `wrt` to `of` are those of the whole model. "
          "Zeros "
          "where there is none.",
      .internal = true,
      .inputs = {{"of", "*o", "float"},
                 optional("seed", "*o", "float"),
                 list("wrt", "*s", "float")},
      .outputs = {list("gradients", "*s", "float")},
      .solve = solve_gradient,
      .expand = expand_gradient,
      .outputs_from = "wrt",
      .transform = true,
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
