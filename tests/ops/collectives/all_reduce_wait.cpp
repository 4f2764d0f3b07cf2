// Rows of all_reduce_wait.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(all_reduce_wait) {
  return {
      {.name = "several tensors", .inputs = {{"inputs", list({normal({2, 3}), normal({4})})}}},
      {.name = "worked out by hand",
       .inputs = {{"inputs", list({tensor({2}, {1, -2})})}},
       .expect = {{"outputs_0", tensor({2}, {1, -2})}}},
      {.name = "one element and no elements",
       .inputs = {{"inputs", list({normal({1}), normal({0, 2})})}}},
      {.name = "ints", .inputs = {{"inputs", list({integers({3}, -5, 5)})}}},
  };
}
