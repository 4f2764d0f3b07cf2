// to_tuple: values as one tuple.
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/tuples.hpp"

namespace mithril {

OpDef define_to_tuple() {
  return {
      .name = "to_tuple",
      .doc = "The values of `input` as a tuple.",
      .inputs = {list("input", "", "value any")},
      .outputs = {value("output", "tuple")},
      .solve = solve_packed,
  };
}

}  // namespace mithril
