// Rows of unique.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(unique) {
  return {
      {.name = "k equal to the size of the axis",
       .inputs = {{"input", tensor({2, 3}, {3, 1, 2, 1, 3, 1})}, {"size", 3}},
       .expect = {{"output", tensor({3}, {1, 2, 3})}}},
      {.name = "a size above the number of distinct elements",
       .inputs = {{"input", tensor({4}, {5, -1, 5, 5})}, {"size", 4}},
       .expect = {{"output", tensor({4}, {-1, 5, 5, 5})}}},
      {.name = "ints",
       .inputs = {{"input", tensor({5}, {7, 0, -7, 0, 7}).as(DType::int64)}, {"size", 3}},
       .expect = {{"output", tensor({3}, {-7, 0, 7}).as(DType::int64)}}},
      {.name = "int32", .inputs = {{"input", integers({6}, -3, 4).as(DType::int32)}, {"size", 6}}},
      {.name = "bools",
       .inputs = {{"input", tensor({3}, {1, 0, 1}).as(DType::boolean)}, {"size", 2}},
       .expect = {{"output", tensor({2}, {0, 1}).as(DType::boolean)}}},
      {.name = "float32", .inputs = {{"input", distinct({7}).as(DType::float32)}, {"size", 9}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}, {"size", 1}}},
      {.name = "rank 0",
       .inputs = {{"input", tensor({}, {4})}, {"size", 2}},
       .expect = {{"output", tensor({2}, {4, 4})}}},
      {.name = "each NaN, last",
       .inputs = {{"input", tensor({5}, {NAN, 1, INFINITY, NAN, 1})}, {"size", 4}},
       .expect = {{"output", tensor({4}, {1, INFINITY, NAN, NAN})}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 2})}, {"size", 0}},
       .expect = {{"output", tensor({0}, {})}}},
      {.name = "a size above 0 for no elements",
       .inputs = {{"input", normal({0, 2})}, {"size", 2}},
       .error = "E0402",
       .message = "the distinct elements do not fit the size"},
      {.name = "a size below the number of distinct elements",
       .inputs = {{"input", tensor({3}, {1, 2, 3})}, {"size", 2}},
       .error = "E0402",
       .message = "the distinct elements do not fit the size"},
      {.name = "a negative size",
       .inputs = {{"input", normal({2})}, {"size", -1}},
       .error = "E0402",
       .message = "a size is negative"},
      {.name = "a size that is a float",
       .inputs = {{"input", normal({2})}, {"size", 2.0}},
       .error = "E0301"},
  };
}
