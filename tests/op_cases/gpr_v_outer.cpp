// Rows of gpr_v_outer.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(gpr_v_outer) {
  const TensorSpec root = tensor({2, 2}, {2, 0, 1, 3}), kernel = normal({2, 2});
  return {
      {.name = "a square", .inputs = {{"K", kernel}, {"K_term", kernel}, {"L", root}}},
      {.name = "wide", .inputs = {{"K", normal({2, 3})}, {"K_term", kernel}, {"L", root}}},
      {.name = "one element",
       .inputs = {{"K", normal({1, 1})}, {"K_term", normal({1, 1})}, {"L", positive({1, 1})}}},
      {.name = "no columns", .inputs = {{"K", normal({2, 0})}, {"K_term", kernel}, {"L", root}}},
      {.name = "as a hand does",
       .inputs = {{"K", tensor({2, 1}, {4, 5})}, {"K_term", kernel}, {"L", root}},
       .expect = {{"output", tensor({1, 1}, {5})}}},
      {.name = "another number of rows",
       .inputs = {{"K", normal({3, 3})}, {"K_term", kernel}, {"L", root}},
       .error = "E0202"},
  };
}
