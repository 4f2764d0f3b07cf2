// expand_dims: with new axes of size 1.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_expand_dims(Solver& s) {
  const Datum* axis = s.value("axis");
  if (!axis) return false;
  const size_t added = items_of(*axis).size();
  std::vector<Dim> in, out;
  if (!s.shape("input", in)) {
    if (!s.shape("output", out)) return false;
    if (out.size() < added) {
      s.reject("the output has too few axes", std::to_string(added) + " or more",
               std::to_string(out.size()), ErrorKind::shape);
    }
    in = fresh_dims(s, out.size() - added);
    s.set_shape("input", in);
  }
  const auto is_new = axis_set(s, *axis, in.size() + added);
  if (!is_new) return false;
  out.clear();
  auto next = in.begin();
  for (const bool one : *is_new) out.push_back(one ? Dim(1) : *next++);
  s.set_shape("output", out);
  return true;
}

}  // namespace

OpDef define_expand_dims() {
  return {
      .name = "expand_dims",
      .doc = "Inserts axes of size 1 at the positions `axis` of the output.",
      .inputs = {{"input", "*s", "T=any"}, value("axis", "int|tuple")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_expand_dims,
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "jnp.expand_dims({input}, {axis})"},
                {"onnx", "unsqueeze(input, axis)"},
                {"torch", "aten::reshape(input, output.shape)"}},
  };
}

}  // namespace mithril
