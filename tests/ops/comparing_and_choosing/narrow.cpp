// Rows of narrow.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(narrow) {
  const TensorSpec wide = tensor({2}, {1.0001, -3}).as(DType::float32);
  return {
      {.name = "to float16",
       .inputs = {{"input", wide}, {"like", list({normal({3}).as(DType::float16)})}},
       .expect = {{"output", tensor({2}, {1, -3}).as(DType::float16)}}},
      {.name = "to the widest",
       .inputs = {{"input", tensor({2}, {1.0001, -3}).as(DType::float32)},
                  {"like", list({normal({3}).as(DType::bfloat16), normal({}).as(DType::float32)})}},
       .expect = {{"output", tensor({2}, {1.0001, -3}).as(DType::float32)}},
       .tolerance = 1e-7},
      {.name = "without floats to the default",
       .inputs = {{"input", wide}, {"like", list({integers({2}, 0, 9)})}},
       .expect = {{"output", tensor({2}, {1.0001, -3})}},
       .tolerance = 1e-7},
      {.name = "float64",
       .inputs = {{"input", normal({3, 1})}, {"like", list({normal({2})})}},
       .hold = {"like"}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 2})}, {"like", list({normal({2})})}},
       .hold = {"like"}},
      {.name = "ints",
       .inputs = {{"input", integers({2}, 0, 9)}, {"like", list({normal({2})})}},
       .error = "E0301"},
  };
}
