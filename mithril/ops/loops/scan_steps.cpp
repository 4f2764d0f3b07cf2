// scan_steps: the start of a loop, which all its other ops read.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_steps(Solver& s) {
  const Datum* length = s.value("length");
  if (!length) return false;
  if (length->is_none()) return true;
  int64_t number = 0;
  if (s.number(length->dim(), number) && number < 0)
    s.reject("the length of a loop is negative", "0 or more", std::to_string(number));
  s.set("steps", length->dim());
  return true;
}

}  // namespace

OpDef define_scan_steps() {
  return {
      .name = "scan_steps",
      .doc = "The steps of a loop. Without a `length` its sequences say how many there are.",
      .internal = true,
      .inputs = {value("length", "int|none", Datum()), value("reverse", "bool", false)},
      .outputs = {{"output", "steps", "int"}},
      .solve = solve_steps,
      .expand = refuse_outside_of_loops,
  };
}

}  // namespace mithril
