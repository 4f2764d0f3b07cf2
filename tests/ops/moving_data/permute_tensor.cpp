// Rows of permute_tensor.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(permute_tensor) {
  const TensorSpec order = tensor({3}, {2, 0, 1}).as(DType::int64);
  return {
      {.name = "a matrix", .inputs = {{"input", normal({3, 4})}, {"indices", order}}},
      {.name = "a vector",
       .inputs = {{"input", tensor({3}, {5, 6, 7})}, {"indices", order}},
       .expect = {{"output", tensor({3}, {7, 5, 6})}}},
      {.name = "with more axes", .inputs = {{"input", normal({3, 2, 2})}, {"indices", order}}},
      {.name = "one row",
       .inputs = {{"input", normal({1, 2})}, {"indices", tensor({1}, {0}).as(DType::int64)}}},
      {.name = "no rows",
       .inputs = {{"input", normal({0, 2})}, {"indices", tensor({0}, {}).as(DType::int64)}}},
      {.name = "counted from the end",
       .inputs = {{"input", tensor({2}, {5, 6})},
                  {"indices", tensor({2}, {-1, -2}).as(DType::int32)}},
       .expect = {{"output", tensor({2}, {6, 5})}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}, {"indices", order}}},
      {.name = "another number of indices",
       .inputs = {{"input", normal({2})}, {"indices", order}},
       .error = "E0202"},
      {.name = "indices that are floats",
       .inputs = {{"input", normal({3})}, {"indices", normal({3})}},
       .error = "E0301"},
  };
}
