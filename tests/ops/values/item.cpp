// Rows of item.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(item) {
  return {
      {.name = "a vector of one",
       .inputs = {{"input", tensor({1}, {2.5})}},
       .expect = {{"output", tensor({}, {2.5})}}},
      {.name = "a matrix of one", .inputs = {{"input", normal({1, 1})}}},
      {.name = "a scalar", .inputs = {{"input", normal({})}}},
      {.name = "an int", .inputs = {{"input", integers({1}, 0, 9)}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0})}},
       .error = "E0206",
       .message = "item takes a tensor of one element"},
      {.name = "two elements",
       .inputs = {{"input", normal({1, 2})}},
       .error = "E0206",
       .message = "item takes a tensor of one element"},
  };
}
