// flatten: several neighbouring axes as one.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_flatten(Solver& s) {
  const Datum *start = s.value("start_dim"), *end = s.value("end_dim");
  int64_t from = 0, to = 0;
  if (!start || !end || !s.number(start->dim(), from) || !s.number(end->dim(), to)) return false;
  std::vector<Dim> in;
  if (!s.shape("input", in)) {
    if (from >= 0 && to == -1) s.set_shape("output", fresh_dims(s, static_cast<size_t>(from) + 1));
    return false;
  }
  if (in.empty()) in.push_back(1);
  const size_t first = axis_of(s, from, in.size()), last = axis_of(s, to, in.size());
  if (first > last) {
    s.reject("start_dim is after end_dim", "start_dim at or before " + std::to_string(last),
             std::to_string(first));
  }
  const auto begin = in.begin() + static_cast<std::ptrdiff_t>(first);
  const auto past = in.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  std::vector<Dim> out(in.begin(), begin);
  out.push_back(product(std::vector<Dim>(begin, past)));
  out.insert(out.end(), past, in.end());
  s.set_shape("output", out);
  return true;
}

}  // namespace

OpDef define_flatten() {
  return {
      .name = "flatten",
      .doc =
          "Merges the axes from `start_dim` to `end_dim`, both included, into one. A tensor of "
          "rank 0 becomes a vector of one element.",
      .inputs = {{"input", "*s", "T=any"},
                 value("start_dim", "int", 0),
                 value("end_dim", "int", -1)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_flatten,
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "flatten({input}, {start_dim}, {end_dim})"},
                {"onnx", "reshape(input, output.shape)"},
                {"torch", "aten::flatten(input, start_dim, end_dim)"}},
  };
}

}  // namespace mithril
