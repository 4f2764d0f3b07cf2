// roll: elements shifted along axes; those that leave at one end come back at the other.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_roll(Solver& s) {
  const Datum *shift = s.value("shift"), *axis = s.value("axis");
  std::vector<Dim> dims;
  if (!shift || !axis || !s.shape("input", dims)) return false;
  const size_t shifts = items_of(*shift).size();
  size_t axes = 1;
  if (!axis->is_none()) {
    const auto list = axis_list(s, *axis, dims.size());
    if (!list) return false;
    axes = list->size();
  }
  if (shifts != axes) {
    s.reject("shifts and axes differ in number", std::to_string(axes) + " shifts",
             to_string(*shift));
  }
  return true;
}

// Places along each axis come from others: the first element from the one at index `from`.
void eval_roll(EvalContext& c) {
  const bool flat = c.value("axis").is_none();
  const Dims dims = flat ? Dims{c.in("input").size()} : c.dims("input");
  const Dims shifts = c.ints("shift");
  const std::vector<size_t> axes =
      flat ? std::vector<size_t>{0} : axis_list(c.value("axis"), dims.size());
  Dims from(dims.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t size = dims[axes[k]];
    if (size > 0) from[axes[k]] = ((-shifts[k]) % size + size) % size;
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    Dims place = from;
    const Dims steps = strides(dims);
    int64_t at = 0;
    for (size_t i = 0; i < dims.size(); ++i) at += from[i] * steps[i];
    for (int64_t i = 0; i < x.size(); ++i) {
      y[i] = x[at];
      for (size_t axis = dims.size(); axis-- > 0;) {
        at += steps[axis];
        if (++place[axis] == dims[axis]) {
          place[axis] = 0;
          at -= steps[axis] * dims[axis];
        }
        if (place[axis] != from[axis]) break;
      }
    }
  });
}

void grad_roll(GradContext& g) {
  Tuple back;
  for (const Datum& shift : items_of(g.value("shift"))) back.push_back(Dim(0) - shift.dim());
  g.flow("input", call("roll", {g.out_grad(), Datum(back), g.value("axis")}));
}

}  // namespace

OpDef define_roll() {
  return {
      .name = "roll",
      .doc =
          "Shifts the elements along an axis, or along several. Elements that leave at one end "
          "return at the other, as in numpy.roll. axis=None shifts the flattened input.",
      .inputs = {{"input", "*s", "T=any"},
                 value("shift", "int|tuple"),
                 value("axis", "int|tuple|none", Datum())},
      .outputs = {{"output", "*s", "T"}},
      .solve = solve_roll,
      .eval = eval_roll,
      .grad = grad_roll,
      .batch = batch_beside_axis_or_flat,
      .samples = samples_beside_axis,
      .linear = {"input"},
      .spell = {{"jax", "jnp.roll({input}, {shift}, {axis})"},
                {"onnx", "roll(input, shift, axis)"},
                {"torch",
                 "axis == None ? aten::roll(input, shift) : aten::roll(input, shift, axis)"},
                {"cpu", "roll(input, shift, axis)"}},
  };
}

}  // namespace mithril
