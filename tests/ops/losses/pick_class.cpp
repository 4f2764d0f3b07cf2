// Rows of pick_class.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(pick_class) {
  return {
      {.name = "a matrix", .inputs = {{"input", normal({4, 3})}, {"index", integers({4}, 0, 3)}}},
      {.name = "more axes",
       .inputs = {{"input", normal({2, 3, 4, 2})}, {"index", integers({2, 4, 2}, 0, 3)}}},
      {.name = "one element",
       .inputs = {{"input", normal({1, 1})}, {"index", integers({1}, 0, 1)}}},
      {.name = "no samples", .inputs = {{"input", normal({0, 3})}, {"index", integers({0}, 0, 3)}}},
      {.name = "ints",
       .inputs = {{"input", integers({4, 3}, 0, 9)}, {"index", integers({4}, 0, 3)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                  {"index", tensor({2}, {2, 0}).as(DType::int64)}},
       .expect = {{"output", tensor({2}, {3, 4})}}},
      {.name = "a class out of range",
       .inputs = {{"input", normal({1, 3})}, {"index", tensor({1}, {3}).as(DType::int64)}},
       .error = "E0412",
       .message = "class 3"},
      {.name = "a negative class",
       .inputs = {{"input", normal({1, 3})}, {"index", tensor({1}, {-1}).as(DType::int64)}},
       .error = "E0412",
       .message = "class -1"},
      {.name = "an index of floats",
       .inputs = {{"input", normal({1, 3})}, {"index", normal({1})}},
       .error = "E0301"},
      {.name = "a vector",
       .inputs = {{"input", normal({3})}, {"index", integers({3}, 0, 3)}},
       .error = "E0201"},
  };
}
