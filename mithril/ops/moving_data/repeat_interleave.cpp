// repeat_interleave: each element its own number of times, one after the other.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

Dim sum(const std::vector<Dim>& dims) {
  Dim total = 0;
  for (const Dim& dim : dims) total = total + dim;
  return total;
}

// The length of the repeated axis, which `count` elements had; false: not known yet.
bool repeated_length(Solver& s, const Dim& count, Dim& length) {
  const Kinds form = s.form("repeats");
  const Datum* size = s.value("output_size");
  if (!form || !size) return false;
  if (!size->is_none()) length = dims_of(s, *size).front();
  if (form != kind::value) {
    std::vector<Dim> repeats;
    if (!s.shape("repeats", repeats)) return false;
    if (repeats.size() != 1)
      s.reject("the repeats are not a list", "rank 1", "rank " + std::to_string(repeats.size()),
               ErrorKind::shape);
    s.same(repeats[0], count);
    if (size->is_none())
      s.reject("the size of the output depends on the elements of repeats",
               "output_size=n, where n is the sum of repeats, or repeats as a tuple",
               "output_size=None");
    return true;
  }
  const Datum* repeats = s.value("repeats");
  if (!repeats) return false;
  const bool is_list = repeats->kind() == kind::tuple;
  const std::vector<Dim> counts = dims_of(s, *repeats);
  const Dim total = is_list ? sum(counts) : count * counts.front();
  if (is_list) s.same(Dim(static_cast<int64_t>(counts.size())), count);
  if (!size->is_none()) s.same(length, total);
  length = total;
  return true;
}

bool solve_repeat_interleave(Solver& s) {
  const Datum* axis = s.value("axis");
  std::vector<Dim> dims;
  if (!axis) return false;
  if (!s.shape("input", dims)) {
    if (axis->is_none()) s.set_shape("output", {s.fresh()});
    return false;
  }
  size_t at = 0;
  if (axis->is_none()) {
    dims = {product(dims)};
  } else {
    int64_t number = 0;
    if (!s.number(axis->dim(), number)) return false;
    at = axis_of(s, number, dims.size());
  }
  std::vector<Dim> repeated = dims;
  repeated[at] = s.fresh();
  s.set_shape("output", repeated);
  Dim length = 0;
  if (!repeated_length(s, dims[at], length)) return false;
  dims[at] = length;
  s.set_shape("output", dims);
  return true;
}

// Element k of the output is that of the number of elements whose repeats end at k or before it:
// a cumulative sum of the number of ends at each place. An end after `length` and an index after
// the last element are errors, so that `length` is the sum of the repeats.
Expression indices_of(const Expression& repeats, const Dim& length) {
  const Expression wide = call("cast", {repeats, Datum(DType::int64)});
  const Expression ends = call("cumsum", {wide, 0});
  const Expression places =
      call("where", {call("less", {wide, 0}), Datum(length + 1), ends});  // none is negative
  const Expression zeros = call_in(wide, "zeros", {Datum::dims({length + 1}), Datum(DType::int64)});
  const Expression counts =
      call("scatter_add", {call("fill_like", {wide, 1}), places, zeros, Datum(0)});
  const Expression within = call("slice", {counts, Datum::ints({0}), Datum(Tuple{Datum(length)})});
  return call("cumsum", {within, 0});
}

void expand_repeat_interleave(ExpandContext& e) {
  Expression x = e.in("input");
  const Datum& axis = e.value("axis");
  if (!e.has("repeats") && e.value("repeats").kind() != kind::tuple)
    return e.become(call("repeat", {x, e.value("repeats"), axis}));
  if (axis.is_none()) x = call("reshape", {x, Datum(Tuple{-1})});
  const Operand at = axis.is_none() ? Datum(0) : axis;
  if (e.has("repeats")) {
    const Expression indices = indices_of(e.in("repeats"), e.value("output_size").dim());
    return e.become(call("gather", {x, indices, at}));
  }
  Tuple indices;
  const Tuple& repeats = e.value("repeats").tuple();
  for (size_t i = 0; i < repeats.size(); ++i)
    indices.insert(indices.end(), static_cast<size_t>(repeats[i].integer()),
                   Datum(static_cast<int64_t>(i)));
  const Expression constant = call_in(x, "to_tensor", {Datum(indices), Datum(DType::int64)});
  e.become(call("gather", {x, constant, at}));
}

}  // namespace

OpDef define_repeat_interleave() {
  return {
      .name = "repeat_interleave",
      .doc =
          "Repeats each element along `axis` by its number in `repeats`: [a, b] with (2, 1) gives "
          "[a, a, b]. axis=None repeats the elements of the flattened input. `repeats` is an int, "
          "a tuple or an int tensor. The size of the output is known before the graph runs, so a "
          "tensor needs `output_size`, the sum of its elements; another sum is an error.",
      .inputs = {{"input", "*s", "T=any"},
                 {"repeats", "*r", "int|value int|tuple"},
                 value("axis", "int|none", Datum()),
                 value("output_size", "int|none", Datum())},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_repeat_interleave,
      .expand = expand_repeat_interleave,
      .dtype_from = "input",
  };
}

}  // namespace mithril
