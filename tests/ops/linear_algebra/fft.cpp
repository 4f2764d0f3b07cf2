// Rows of fft.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(fft) {
  return {
      {.name = "a power of two", .inputs = {{"input", normal({2, 8, 2})}}},
      {.name = "small factors, inverse", .inputs = {{"input", normal({30, 2})}, {"inverse", true}}},
      {.name = "a small prime", .inputs = {{"input", normal({2, 1, 7, 2})}}},
      {.name = "a large prime", .inputs = {{"input", normal({17, 2})}}},
      {.name = "a large factor, inverse",
       .inputs = {{"input", normal({2, 38, 2})}, {"inverse", true}}},
      {.name = "worked out by hand",  // of 1, i, -1, 2
       .inputs = {{"input", tensor({4, 2}, {1, 0, 0, 1, -1, 0, 2, 0})}},
       .expect = {{"output", tensor({4, 2}, {2, 1, 3, 2, -2, -1, 1, -2})}}},
      {.name = "the inverse by hand",
       .inputs = {{"input", tensor({4, 2}, {2, 1, 3, 2, -2, -1, 1, -2})}, {"inverse", true}},
       .expect = {{"output", tensor({4, 2}, {4, 0, 0, 4, -4, 0, 8, 0})}}},
      {.name = "three elements, worked out by hand",
       .inputs = {{"input", tensor({3, 2}, {1, 0, 1, 0, 1, 0})}},
       .expect = {{"output", tensor({3, 2}, {3, 0, 0, 0, 0, 0})}}},
      {.name = "one element", .inputs = {{"input", normal({2, 1, 2})}}},
      {.name = "no elements", .inputs = {{"input", normal({2, 0, 2})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 6, 2})}}},
      {.name = "float32", .inputs = {{"input", normal({3, 20, 2}).as(DType::float32)}}},
      {.name = "no pairs", .inputs = {{"input", normal({4, 3})}}, .error = "E0202"},
      {.name = "ints", .inputs = {{"input", integers({4, 2}, 0, 9)}}, .error = "E0301"},
  };
}
