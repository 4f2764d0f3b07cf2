// Rows of sum_to.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(sum_to) {
  return {
      {.name = "leading dims", .inputs = {{"input", normal({2, 3, 4})}, {"like", normal({4})}}},
      {.name = "dims of 1", .inputs = {{"input", normal({2, 3, 4})}, {"like", normal({3, 1})}}},
      {.name = "to rank 0", .inputs = {{"input", normal({2, 3})}, {"like", normal({})}}},
      {.name = "the same dims", .inputs = {{"input", normal({2, 3})}, {"like", normal({2, 3})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}, {"like", normal({1})}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 3})}, {"like", normal({3})}},
       .expect = {{"output", tensor({3}, {0, 0, 0})}}},
      {.name = "to no elements", .inputs = {{"input", normal({2, 0})}, {"like", normal({0})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"like", tensor({2, 1}, {0, 0})}},
       .expect = {{"output", tensor({2, 1}, {3, 7})}}},
      {.name = "ints like floats",
       .inputs = {{"input", integers({2, 3}, -9, 10)}, {"like", normal({3})}}},
      {.name = "float32 like float64",
       .inputs = {{"input", normal({2, 3}).as(DType::float32)}, {"like", normal({3})}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"input", normal({2, 4})}, {"like", normal({3})}},
       .error = "E0203"},
      {.name = "bools have no sum",
       .inputs = {{"input", booleans({2, 3})}, {"like", normal({3})}},
       .error = "E0301"},
  };
}
