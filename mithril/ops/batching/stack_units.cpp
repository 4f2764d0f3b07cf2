// stack_units: what a part of a model computes for each element of a tensor, for Jacobians.
#include "mithril/ops/support/batched_rows.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// values: the outputs, then the unit_of that they are computed from.
bool solve_stack_units(Solver& s) {
  const Datum* last = s.value("last");
  std::vector<Dim> like, row;
  bool known = last && s.shape("like", like);
  const bool is_placed = known;
  for (int k = 0, count = s.count("values"); k < count; ++k) {
    const Kinds kind = s.kind("values", k);
    if (kind != 0) s.narrow("outputs", kind, k);
    row.clear();
    const bool ranked = s.shape("values", row, k);
    known = known && kind != 0 && ranked;
    if (!is_placed || !ranked) continue;
    row.insert(last->flag() ? row.end() : row.begin(), like.begin(), like.end());
    s.set_shape("outputs", row, k);
  }
  return known;
}

// [count, *row] in the dims [*like, *row], or [*row, *like].
Expression unfolded(const Expression& x, const std::vector<Dim>& like, bool last) {
  std::vector<Dim> dims(x.dims().begin() + 1, x.dims().end());
  const Expression ordered = last ? moved_from_front(x, dims.size()) : x;
  dims.insert(last ? dims.end() : dims.begin(), like.begin(), like.end());
  return call("reshape", {ordered, Datum::dims(dims)});
}

void expand_stack_units(ExpandContext& c) {
  const Expression like = c.in("like");
  require_rank(like);
  const std::vector<Dim> dims = like.dims();
  const Dim count = product(dims);
  std::vector<Dim> all = dims;
  all.insert(all.begin(), count);
  const Expression eye = call_in(like, "eye", {Datum(count), Datum(count), Datum(like.dtype())});
  const Expression units = call("reshape", {eye, Datum::dims(all)});
  const int outputs = c.list_size() - 1;
  std::vector<Expression> values;
  for (int k = 0; k < outputs; ++k) values.push_back(c.in("values", k));
  const std::vector<Expression> batched =
      batched_values(values, count, {{c.in("values", outputs).id, units.id}});
  const bool last = c.value("last").flag();
  for (int k = 0; k < outputs; ++k)
    c.become(unfolded(batched[static_cast<size_t>(k)], dims, last), k);
  c.become(unfolded(units, dims, last), outputs);
}

}  // namespace

OpDef define_stack_units() {
  return {
      .name = "stack_units",
      .doc =
          "What the nodes between `unit_of`, the last one of `values`, and the others compute, for "
          "each element of `like`. The outputs have the axes of `like` first, or, if `last`, after "
          "their own.",
      .internal = true,
      .inputs = {list("values", "*r", "float"), {"like", "*l", "float"}, value("last", "bool")},
      .outputs = {list("outputs", "*s", "float")},
      .solve = solve_stack_units,
      .expand = expand_stack_units,
      .outputs_from = "values",
      .transform = true,
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
