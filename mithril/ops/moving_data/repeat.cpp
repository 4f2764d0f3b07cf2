// repeat: each element several times, one after the other.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/expanding.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_repeat(Solver& s) {
  const Datum *repeats = s.value("repeats"), *axis = s.value("axis");
  if (!repeats || !axis) return false;
  const Dim count = dims_of(s, *repeats).front();
  std::vector<Dim> dims;
  if (axis->is_none()) {
    const bool known = s.shape("input", dims);
    s.set_shape("output", {known ? product(dims) * count : s.fresh()});
    return known;
  }
  int64_t number = 0;
  if (!s.number(axis->dim(), number)) return false;
  if (!s.shape("input", dims)) {
    if (!s.shape("output", dims)) return false;
    dims = fresh_dims(s, dims.size());
    s.set_shape("input", dims);
  }
  const size_t at = axis_of(s, number, dims.size());
  dims[at] = dims[at] * count;
  s.set_shape("output", dims);
  return true;
}

// A new axis after that of the elements, which is broadcast and merged. Where the rank is not known
// it gets copies instead.
void expand_repeat(ExpandContext& e) {
  Expression x = e.in("input");
  const Dim count = e.value("repeats").dim();
  const Datum& given = e.value("axis");
  if (given.is_none()) x = call("reshape", {x, Datum(Tuple{-1})});
  int64_t axis = given.is_none() ? 0 : given.integer();
  if (x.ranked()) axis = static_cast<int64_t>(axis_of(axis, x.dims().size()));
  const int64_t first = axis < 0 ? axis - 1 : axis, second = first + 1;
  Expression apart = call("expand_dims", {x, Datum(second)});
  if (x.ranked()) {
    std::vector<Dim> wide = x.dims();
    wide.insert(wide.begin() + second, count);
    apart = broadcast(apart, wide);
  } else {
    apart = copies(apart, count, second, "repeat");
  }
  e.become(call("flatten", {apart, Datum(first), Datum(second)}));
}

}  // namespace

OpDef define_repeat() {
  return {
      .name = "repeat",
      .doc =
          "Repeats each element `repeats` times, as numpy.repeat and torch.repeat_interleave: [a, "
          "b] with 2 gives [a, a, b, b]. axis=None repeats the elements of the flattened input. "
          "`tile` repeats the whole tensor.",
      .inputs = {{"input", "*s", "T=any"},
                 value("repeats", "int"),
                 value("axis", "int|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_repeat,
      .expand = expand_repeat,
  };
}

}  // namespace mithril
