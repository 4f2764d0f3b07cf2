// Rows of widen.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(widen) {
  return {
      {.name = "float16 becomes float32",
       .inputs = {{"input", tensor({2}, {1, -3}).as(DType::float16)}},
       .expect = {{"output", tensor({2}, {1, -3}).as(DType::float32)}}},
      {.name = "bfloat16 becomes float32",
       .inputs = {{"input", tensor({1, 1}, {0.5}).as(DType::bfloat16)}},
       .expect = {{"output", tensor({1, 1}, {0.5}).as(DType::float32)}}},
      {.name = "float64 stays",
       .inputs = {{"input", normal({3, 4})}},
       .only_float64 = "half precision becomes float32"},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 2})}},
       .only_float64 = "half precision becomes float32"},
      {.name = "ints become floats",
       .inputs = {{"input", tensor({2}, {7, -1}).as(DType::int64)}},
       .expect = {{"output", tensor({2}, {7, -1})}}},
      {.name = "bools", .inputs = {{"input", booleans({3})}}, .error = "E0301"},
  };
}
