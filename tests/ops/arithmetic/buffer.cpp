// Rows of buffer.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(buffer) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "ints", .inputs = {{"input", integers({3}, 0, 9)}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}}},
      {.name = "float32", .inputs = {{"input", normal({3}).as(DType::float32)}}},
      {.name = "a float", .inputs = {{"input", 0.5}}, .expect = {{"output", 0.5}}},
      {.name = "a string", .inputs = {{"input", "valid"}}, .expect = {{"output", "valid"}}},
      {.name = "a tuple",
       .inputs = {{"input", ints({1, 2})}},
       .expect = {{"output", ints({1, 2})}}},
  };
}
