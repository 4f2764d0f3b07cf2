// branch_condition: a scalar bool that chooses a branch, or ends a loop.
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_condition(Solver& s) {
  const Kinds given = s.kinds("condition");
  if ((given & kind::bool_tensor) == 0)
    s.reject("the condition is not a bool; compare it with a number: x > 0", "a bool",
             to_string_kinds(given), ErrorKind::type);
  s.narrow("condition", kind::bool_tensor);
  std::vector<Dim> dims;
  if (s.shape("condition", dims) && !dims.empty())
    s.reject("the condition is not a scalar; compare one number: x.max() > 0", "[]",
             to_string(dims), ErrorKind::shape);
  s.set_shape("condition", {});
  return true;
}

}  // namespace

OpDef define_branch_condition() {
  return {
      .name = "branch_condition",
      .doc = "A scalar bool that chooses a branch, or says whether a loop runs another step.",
      .internal = true,
      .inputs = {{"condition", "*c", "T=any"}},
      .outputs = {{"output", "*c", "T"}},
      .solve = solve_condition,
      .expand = refuse_outside_of_branches,
      .dtype_from = "condition",
  };
}

}  // namespace mithril
