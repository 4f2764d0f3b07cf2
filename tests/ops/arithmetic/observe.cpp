// Rows of observe: without hooks it is the identity.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(observe) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "the values do not change",
       .inputs = {{"input", tensor({2}, {1, -2})}},
       .expect = {{"output", tensor({2}, {1, -2})}}},
      {.name = "a hook that is not a number",
       .inputs = {{"input", normal({2})}, {"hook", "first"}},
       .error = "E0301"},
      {.name = "a hook", .inputs = {{"input", normal({2})}, {"hook", 3}}},
      {.name = "a hook on the gradient", .inputs = {{"input", normal({2})}, {"gradient_hook", 0}}},
  };
}
