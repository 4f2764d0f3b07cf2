// Rows of broadcast_to.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(broadcast_to) {
  return {
      {.name = "new axes", .inputs = {{"input", normal({3})}, {"shape", ints({2, 4, 3})}}},
      {.name = "sizes of 1", .inputs = {{"input", normal({2, 1, 3})}, {"shape", ints({2, 4, 3})}}},
      {.name = "both", .inputs = {{"input", normal({3, 1})}, {"shape", ints({2, 3, 5})}}},
      {.name = "the shape of the input",
       .inputs = {{"input", normal({2, 3})}, {"shape", ints({2, 3})}}},
      {.name = "an int is a row", .inputs = {{"input", normal({})}, {"shape", 4}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}, {"shape", Tuple{}}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 1})}, {"shape", ints({2, 0, 3})}}},
      {.name = "to no elements", .inputs = {{"input", normal({1, 3})}, {"shape", ints({0, 3})}}},
      {.name = "ints", .inputs = {{"input", integers({1, 2}, 0, 9)}, {"shape", ints({3, 2})}}},
      {.name = "bools", .inputs = {{"input", booleans({2})}, {"shape", ints({3, 2})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 1}, {1, 2})}, {"shape", ints({2, 2})}},
       .expect = {{"output", tensor({2, 2}, {1, 1, 2, 2})}}},
      {.name = "another size",
       .inputs = {{"input", normal({2, 3})}, {"shape", ints({2, 4})}},
       .error = "E0203"},
      {.name = "fewer axes",
       .inputs = {{"input", normal({2, 3})}, {"shape", ints({3})}},
       .error = "E0201"},
      {.name = "a negative size",
       .inputs = {{"input", normal({3})}, {"shape", ints({-1, 3})}},
       .error = "E0402",
       .message = "a size is negative"},
  };
}
