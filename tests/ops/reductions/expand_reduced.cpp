// Rows of expand_reduced.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(expand_reduced) {
  return {
      {.name = "a sum of all", .inputs = {{"input", normal({})}, {"like", normal({2, 3})}}},
      {.name = "an axis",
       .inputs = {{"input", normal({2})}, {"like", normal({2, 3})}, {"axis", -1}}},
      {.name = "a kept axis",
       .inputs =
           {{"input", normal({1, 3})}, {"like", normal({2, 3})}, {"axis", 0}, {"keepdim", true}}},
      {.name = "two axes, shared",
       .inputs = {{"input", normal({3})},
                  {"like", normal({2, 3, 4})},
                  {"axis", ints({0, 2})},
                  {"correction", 0.0}}},
      {.name = "shared, corrected",
       .inputs = {{"input", normal({3})},
                  {"like", normal({2, 3, 4})},
                  {"axis", ints({0, 2})},
                  {"correction", 1}}},
      {.name = "rank 0",
       .inputs = {{"input", normal({})}, {"like", normal({})}, {"axis", 0}, {"correction", 0.0}}},
      {.name = "one element",
       .inputs = {{"input", normal({1})}, {"like", normal({1, 1})}, {"axis", 0}}},
      {.name = "no elements",
       .inputs =
           {{"input", normal({3})}, {"like", normal({0, 3})}, {"axis", 0}, {"correction", 0.0}}},
      {.name = "like ints",
       .inputs = {{"input", normal({2})}, {"like", integers({2, 3}, 0, 9)}, {"axis", 1}}},
      {.name = "bools",
       .inputs = {{"input", booleans({2})}, {"like", normal({2, 3})}, {"axis", 1}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2}, {1, 2})}, {"like", normal({2, 2})}, {"axis", 1}},
       .expect = {{"output", tensor({2, 2}, {1, 1, 2, 2})}}},
      {.name = "a mean, worked out by hand",
       .inputs = {{"input", tensor({2}, {3, 6})},
                  {"like", normal({3, 2})},
                  {"axis", 0},
                  {"correction", 0.0}},
       .expect = {{"output", tensor({3, 2}, {1, 2, 1, 2, 1, 2})}}},
      {.name = "another shape",
       .inputs = {{"input", normal({3})}, {"like", normal({2, 3})}, {"axis", 1}},
       .error = "E0202"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2})}, {"like", normal({2, 3})}, {"axis", 2}},
       .error = "E0402"},
  };
}
