// Rows of gradient_of. Its inputs do not depend on each other here: the gradients are zeros.
// tests/models/derivatives.cpp has models.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(gradient_of) {
  return {
      {.name = "nothing depends on them",
       .inputs = {{"of", normal({})}, {"wrt", list({normal({2, 3}), normal({4})})}},
       .expect = {{"gradients_0", tensor({2, 3}, {0, 0, 0, 0, 0, 0})},
                  {"gradients_1", tensor({4}, {0, 0, 0, 0})}}},
      {.name = "a seed",
       .inputs = {{"of", normal({2, 1})}, {"seed", normal({2, 1})}, {"wrt", list({normal({3})})}}},
      {.name = "one element and no elements",
       .inputs = {{"of", normal({})}, {"wrt", list({normal({1}), normal({0, 2})})}}},
      {.name = "no seed of a tensor that is not a scalar",
       .inputs = {{"of", normal({2})}, {"wrt", list({normal({2})})}},
       .error = "E0206"},
      {.name = "a seed of another shape",
       .inputs = {{"of", normal({2})}, {"seed", normal({3})}, {"wrt", list({normal({2})})}},
       .error = "E0202"},
      {.name = "ints",
       .inputs = {{"of", normal({})}, {"wrt", list({integers({2}, 0, 5)})}},
       .error = "E0301"},
  };
}
