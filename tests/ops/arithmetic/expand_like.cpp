// Rows of expand_like.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(expand_like) {
  return {
      {.name = "leading dims", .inputs = {{"input", normal({4})}, {"like", normal({2, 3, 4})}}},
      {.name = "dims of 1", .inputs = {{"input", normal({3, 1})}, {"like", normal({2, 3, 4})}}},
      {.name = "from rank 0", .inputs = {{"input", normal({})}, {"like", normal({2, 3})}}},
      {.name = "the same dims", .inputs = {{"input", normal({2, 3})}, {"like", normal({2, 3})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"like", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({3})}, {"like", normal({0, 3})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 1}, {3, 7})}, {"like", tensor({2, 2}, {0, 0, 0, 0})}},
       .expect = {{"output", tensor({2, 2}, {3, 3, 7, 7})}}},
      {.name = "bools like floats", .inputs = {{"input", booleans({3})}, {"like", normal({2, 3})}}},
      {.name = "float32 like float64",
       .inputs = {{"input", normal({3}).as(DType::float32)}, {"like", normal({2, 3})}}},
      {.name = "dims that do not broadcast",
       .inputs = {{"input", normal({3})}, {"like", normal({2, 4})}},
       .error = "E0203"},
      {.name = "a value has no dims",
       .inputs = {{"input", 2.0}, {"like", normal({2, 3})}},
       .error = "E0301"},
  };
}
