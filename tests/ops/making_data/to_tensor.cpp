// Rows of to_tensor.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(to_tensor) {
  return {
      {.name = "a float", .inputs = {{"input", 1.5}}, .expect = {{"output", tensor({}, {1.5})}}},
      {.name = "an int",
       .inputs = {{"input", 3}},
       .expect = {{"output", tensor({}, {3}).as(DType::int64)}}},
      {.name = "a matrix",
       .inputs = {{"input", Tuple{Tuple{1.0, 2.0, 3.0}, Tuple{4.0, 5.0, 6.0}}}},
       .expect = {{"output", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}}},
      {.name = "ints",
       .inputs = {{"input", ints({1, -2})}},
       .expect = {{"output", tensor({2}, {1, -2}).as(DType::int64)}}},
      {.name = "bools",
       .inputs = {{"input", Tuple{true, false}}},
       .expect = {{"output", tensor({2}, {1, 0}).as(DType::boolean)}}},
      {.name = "an int among floats",
       .inputs = {{"input", Tuple{1, 0.5, true}}},
       .expect = {{"output", tensor({3}, {1, 0.5, 1})}}},
      {.name = "ints as float32",
       .inputs = {{"input", ints({1, 2})}, {"dtype", DType::float32}},
       .expect = {{"output", tensor({2}, {1, 2}).as(DType::float32)}}},
      {.name = "no numbers", .inputs = {{"input", Tuple{}}}},
      {.name = "rows of other lengths",
       .inputs = {{"input", Tuple{Tuple{1, 2}, Tuple{3}}}},
       .error = "E0206",
       .message = "the rows of a tensor differ in shape"},
      {.name = "text",
       .inputs = {{"input", Tuple{1, "2"}}},
       .error = "E0402",
       .message = "a tensor is made of numbers"},
  };
}
