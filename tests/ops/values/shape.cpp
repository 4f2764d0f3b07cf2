// Rows of shape.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(shape) {
  return {
      {.name = "a tensor",
       .inputs = {{"input", normal({2, 3})}},
       .expect = {{"output", ints({2, 3})}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}, .expect = {{"output", Tuple{}}}},
      {.name = "sizes of 0 and 1",
       .inputs = {{"input", integers({0, 1}, 0, 9)}},
       .expect = {{"output", ints({0, 1})}}},
      {.name = "of a value", .inputs = {{"input", 3}}, .error = "E0301"},
  };
}
