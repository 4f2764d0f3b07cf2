// Rows of weigh_samples.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(weigh_samples) {
  return {
      {.name = "one axis", .inputs = {{"input", normal({4})}, {"weight", normal({4})}}},
      {.name = "more axes", .inputs = {{"input", normal({4, 2, 3})}, {"weight", normal({4})}}},
      {.name = "a square", .inputs = {{"input", normal({3, 3})}, {"weight", normal({3})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"weight", normal({1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"weight", normal({0})}}},
      {.name = "ints as weights",
       .inputs = {{"input", normal({2, 3})}, {"weight", integers({2}, 0, 5)}}},
      {.name = "a weight for each row",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 3, 4})}, {"weight", tensor({2}, {10, 100})}},
       .expect = {{"output", tensor({2, 2}, {10, 20, 300, 400})}}},
      {.name = "a column of weights",
       .inputs = {{"input", normal({4})}, {"weight", normal({4, 1})}},
       .error = "E0201"},
      {.name = "another number of weights",
       .inputs = {{"input", normal({4, 2})}, {"weight", normal({1})}},
       .error = "E0202"},
  };
}
