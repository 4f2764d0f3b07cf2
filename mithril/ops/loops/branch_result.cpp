// branch_result: a value that one of two branches makes.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_result(Solver& s) {
  const Kinds one = s.kind("then"), other = s.kind("otherwise");
  if (one && other && one != other)
    s.reject("the branches make values of different types; cast one of them",
             to_string_kinds(one) + " as `then`", to_string_kinds(other) + " from `otherwise`",
             ErrorKind::type);
  if (one && other) s.same_type("output", "then");
  std::vector<Dim> then, otherwise;
  const bool then_known = s.shape("then", then), otherwise_known = s.shape("otherwise", otherwise);
  if (!then_known && !otherwise_known) return false;
  if (then_known && otherwise_known && !may_be_equal(then, otherwise))
    s.reject("the branches make values of different shapes; reshape one of them",
             to_string(then) + " as `then`", to_string(otherwise) + " from `otherwise`",
             ErrorKind::shape);
  const std::vector<Dim>& dims = then_known ? then : otherwise;
  for (const char* port : {"then", "otherwise", "output"}) s.set_shape(port, dims);
  return one && other;
}

}  // namespace

OpDef define_branch_result() {
  return {
      .name = "branch_result",
      .doc = "`then` if `condition` is true, `otherwise` if it is false.",
      .internal = true,
      .inputs = {{"then", "*t", "any"}, {"otherwise", "*e", "any"}, {"condition", "", "bool"}},
      .outputs = {{"output", "*o", "any"}},
      .solve = solve_result,
      .expand = refuse_outside_of_branches,
      .dtype_from = "then",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
