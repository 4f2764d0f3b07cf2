// Rows of cumulative_extremum.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cumulative_extremum) {
  return {
      {.name = "the largest",
       .inputs = {{"input", tensor({5}, {-1, 2, 2, 0, 3})}},
       .expect = {{"output", tensor({5}, {0, 1, 2, 2, 4}).as(DType::int64)}}},
      {.name = "the smallest along the first axis",
       .inputs = {{"input", tensor({3, 2}, {1, 2, 1, 3, 2, -1})}, {"axis", 0}, {"largest", false}},
       .expect = {{"output", tensor({3, 2}, {0, 0, 1, 0, 1, 2}).as(DType::int64)}}},
      {.name = "NaN",
       .inputs = {{"input", tensor({4}, {-INFINITY, NAN, INFINITY, NAN})}},
       .expect = {{"output", tensor({4}, {0, 1, 1, 3}).as(DType::int64)}}},
      {.name = "the smallest of NaN",
       .inputs = {{"input", tensor({4}, {INFINITY, NAN, -INFINITY, NAN})}, {"largest", false}},
       .expect = {{"output", tensor({4}, {0, 1, 1, 3}).as(DType::int64)}}},
      {.name = "the largest of uint64",
       .inputs = {{"input", tensor({3}, {9223372036854775808.0, 3, 7}).as(DType::uint64)}},
       .expect = {{"output", tensor({3}, {0, 0, 0}).as(DType::int64)}}},
      {.name = "ints", .inputs = {{"input", integers({3, 4, 2}, -2, 3)}, {"axis", 1}}},
      {.name = "bools, the smallest", .inputs = {{"input", booleans({3, 4})}, {"largest", false}}},
      {.name = "float32", .inputs = {{"input", normal({4, 5}).as(DType::float32)}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "an axis without elements", .inputs = {{"input", normal({2, 0})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}}},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({2, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
  };
}
