// to_list: values as one tuple, which also serves as a list.
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/tuples.hpp"

namespace mithril {

OpDef define_to_list() {
  return {
      .name = "to_list",
      .doc = "The values of `input` as a tuple. Lists and tuples are the same.",
      .inputs = {list("input", "", "value any")},
      .outputs = {value("output", "tuple")},
      .solve = solve_packed,
  };
}

}  // namespace mithril
