// Rows of prod_of_others.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(prod_of_others) {
  return {
      {.name = "all", .inputs = {{"input", normal({2, 3})}}},
      {.name = "an axis", .inputs = {{"input", normal({2, 3})}, {"axis", 1}}},
      {.name = "two axes", .inputs = {{"input", positive({2, 3, 2})}, {"axis", ints({0, 2})}}},
      {.name = "rank 0", .inputs = {{"input", positive({})}, {"axis", -1}}},
      {.name = "one element",
       .inputs = {{"input", normal({1})}},
       .expect = {{"output", tensor({1}, {1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 2})}}},
      {.name = "one zero, two zeros",
       .inputs = {{"input", tensor({2, 3}, {2, 0, 3, 0, 5, 0})}, {"axis", 1}},
       .expect = {{"output", tensor({2, 3}, {0, 6, 0, 0, 0, 0})}}},
      {.name = "zeros, two axes",
       .inputs = {{"input", tensor({2, 2, 2}, {2, 0, 3, -1, 0, 5, 0, 4})},
                  {"axis", ints({0, -1})}}},
      {.name = "zeros, all axes",
       .inputs = {{"input", tensor({2, 3}, {2, 0, 3, -1, 0, 4})}, {"axis", ints({1, 0})}}},
      {.name = "zeros, all", .inputs = {{"input", tensor({2, 3}, {2, 0, 3, -1, 0.5, 4})}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2})}, {"axis", 1}},
       .error = "E0402"},
      {.name = "ints", .inputs = {{"input", integers({2}, 0, 9)}}, .error = "E0301"},
  };
}
