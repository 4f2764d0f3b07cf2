// squeeze: without the axes of size 1.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// All axes of size 1: every size has to be known.
bool squeeze_all(Solver& s) {
  std::vector<Dim> in, out;
  if (!s.shape("input", in)) return false;
  bool known = true;
  for (const Dim& dim : in) {
    const Dim now = resolve(dim);
    if (!now.is_constant()) known = s.await(now);
    if (!now.is_constant(1)) out.push_back(dim);
  }
  if (known) s.set_shape("output", out);
  return known;
}

bool solve_squeeze(Solver& s) {
  const Datum* axis = s.value("axis");
  if (!axis) return false;
  if (axis->is_none()) return squeeze_all(s);
  std::vector<Dim> in, out;
  if (!s.shape("input", in)) {
    if (!s.shape("output", out)) return false;
    const size_t axes = items_of(*axis).size();
    if (out.empty() && axes == 1) return false;  // of rank 1 or 0
    in = fresh_dims(s, out.size() + axes);
    s.set_shape("input", in);
    out.clear();
  }
  const auto removed = axis_set(s, *axis, in.size());
  if (!removed) return false;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!(*removed)[i]) {
      out.push_back(in[i]);
      continue;
    }
    const Dim now = resolve(in[i]);
    if (now.is_constant() && !now.is_constant(1)) {
      s.reject("axis " + std::to_string(i) + " cannot be squeezed", "size 1",
               "size " + to_string(now), ErrorKind::shape);
    }
    s.same(in[i], 1);
  }
  s.set_shape("output", out);
  return true;
}

}  // namespace

OpDef define_squeeze() {
  return {
      .name = "squeeze",
      .doc =
          "Removes the axes of size 1 that `axis` names; they must have size 1. axis=None removes "
          "all axes of size 1; then the shape of the output is known once all sizes are known.",
      .inputs = {{"input", "*s", "T=any"}, value("axis", "int|tuple|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_squeeze,
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "jnp.squeeze({input}, {axis})"},
                {"onnx", "squeeze(input, axis)"},
                {"torch", "aten::reshape(input, output.shape)"}},
  };
}

}  // namespace mithril
