// scan_last: a carry after the last step of a loop.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_last(Solver& s) {
  const Kinds before = s.kind("carry"), after = s.kind("next");
  if (before && after && before != after)
    s.reject("a step changes the type of the carry", to_string_kinds(before),
             to_string_kinds(after), ErrorKind::type);
  if (before && after) s.same_type("output", "carry");
  std::vector<Dim> carry, next;
  const bool carry_known = s.shape("carry", carry), next_known = s.shape("next", next);
  if (!carry_known && !next_known) return false;
  if (carry_known && next_known && !may_be_equal(carry, next))
    s.reject("a step changes the shape of the carry", to_string(carry), to_string(next),
             ErrorKind::shape);
  const std::vector<Dim>& dims = carry_known ? carry : next;
  for (const char* port : {"carry", "next", "output"}) s.set_shape(port, dims);
  return before && after;
}

}  // namespace

OpDef define_scan_last() {
  return {
      .name = "scan_last",
      .doc =
          "The carry after the last step of a loop: the `next` of that step, or the first value "
          "of `carry` if there is no step. `carried` has each carry of the loop and its next "
          "value.",
      .internal = true,
      .inputs = {{"carry", "*s", "any"},
                 {"next", "*n", "any"},
                 {"steps", "steps", "int"},
                 list("carried", "*each", "any")},
      .outputs = {{"output", "*o", "any"}},
      .solve = solve_last,
      .expand = refuse_outside_of_loops,
      .dtype_from = "carry",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
