// Rows of matrix_exp.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(matrix_exp) {
  const TensorSpec some = tensor({3, 3}, {0.5, 2, -1, 1, -0.25, 0.5, -1, 0.5, -1.5});
  return {
      {.name = "three rows", .inputs = {{"input", some}}},
      {.name = "several",
       .inputs = {{"input", tensor({2, 2, 2}, {0.5, 1, -1, 0.25, 0, 1, -2, -1})}}},
      {.name = "one element",
       .inputs = {{"input", tensor({1, 1}, {0})}},
       .expect = {{"output", tensor({1, 1}, {1})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 0})}}},
      {.name = "no matrices", .inputs = {{"input", normal({0, 2, 2})}}},
      {.name = "float32", .inputs = {{"input", some.as(DType::float32)}}},
      {.name = "a diagonal",
       .inputs = {{"input", tensor({2, 2}, {1, 0, 0, -1})}},
       .expect = {{"output", tensor({2, 2}, {2.718281828459045, 0, 0, 0.36787944117144233})}}},
      {.name = "a nilpotent matrix",
       .inputs = {{"input", tensor({3, 3}, {0, 2, 3, 0, 0, 4, 0, 0, 0})}},
       .expect = {{"output", tensor({3, 3}, {1, 2, 7, 0, 1, 4, 0, 0, 1})}}},
      {.name = "a rotation by a right angle",
       .inputs = {{"input", tensor({2, 2}, {0, -1.5707963267948966, 1.5707963267948966, 0})}},
       .expect = {{"output", tensor({2, 2}, {0, -1, 1, 0})}}},
      {.name = "many turns",
       .inputs = {{"input", tensor({2, 2}, {0, -62.83185307179586, 62.83185307179586, 0})}},
       .expect = {{"output", tensor({2, 2}, {1, 0, 0, 1})}},
       .tolerance = 1e-10,
       .hold = {"input"},
       .only_float64 = "half precision rounds the angle by much of a turn"},
      {.name = "tiny elements",
       .inputs = {{"input", tensor({2, 2}, {0, 1e-20, 0, 0})}},
       .expect = {{"output", tensor({2, 2}, {1, 1e-20, 0, 1})}}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
  };
}
