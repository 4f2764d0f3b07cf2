// Rows of distance_matrix.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(distance_matrix) {
  const TensorSpec near = uniform({3, 2}, 0, 1), far = uniform({4, 2}, 2, 3);
  return {
      {.name = "a norm that is trained",
       .inputs = {{"left", near}, {"right", far}, {"norm", uniform({}, 1, 3)}}},
      {.name = "a norm of one element",
       .inputs = {{"left", near}, {"right", far}, {"norm", uniform({1}, 1, 3)}}},
      {.name = "squares", .inputs = {{"left", near}, {"right", far}, {"norm", 2}}},
      {.name = "cubes", .inputs = {{"left", far}, {"right", near}, {"norm", 3.0}}},
      {.name = "no rows", .inputs = {{"left", normal({0, 2})}, {"right", far}, {"norm", 2}}},
      {.name = "float32",
       .inputs = {{"left", near.as(DType::float32)},
                  {"right", far.as(DType::float32)},
                  {"norm", tensor({}, {2}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"left", tensor({2, 2}, {1, 2, -2, -2})},
                  {"right", tensor({1, 2}, {2, 0})},
                  {"norm", 2}},
       .expect = {{"output", tensor({2, 1}, {5, 20})}}},
      {.name = "ints",
       .inputs = {{"left", tensor({1, 2}, {1, 2}).as(DType::int64)},
                  {"right", tensor({1, 2}, {3, -1}).as(DType::int64)},
                  {"norm", 1}},
       .expect = {{"output", tensor({1, 1}, {5})}}},
      {.name = "several norms",
       .inputs = {{"left", near}, {"right", far}, {"norm", normal({2})}},
       .error = "E0202"},
      {.name = "rows of another length",
       .inputs = {{"left", near}, {"right", normal({2, 3})}, {"norm", 2}},
       .error = "E0202"},
  };
}
