// Rows of slogdet.
#include <limits>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(slogdet) {
  const TensorSpec matrix = tensor({3, 3}, {0, 2, -1, 3, 1, 0.5, -1, 0.5, 1.5});
  return {
      {.name = "three rows", .inputs = {{"input", matrix}}},
      {.name = "several", .inputs = {{"input", tensor({2, 2, 2}, {2, 1, 1, 3, 0, 1, -2, 1})}}},
      {.name = "one element", .inputs = {{"input", positive({1, 1})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 0})}}},
      {.name = "no matrices", .inputs = {{"input", normal({0, 2, 2})}}},
      {.name = "float32", .inputs = {{"input", matrix.as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2, 2}, {0, 2, 4, 1, 2, 0, 1, 4})}},
       .expect = {{"sign", tensor({2}, {-1, 1})},
                  {"logabsdet", tensor({2}, {2.0794415416798357, 2.0794415416798357})}}},
      {.name = "a singular matrix",
       .inputs = {{"input", tensor({2, 2}, {1, 2, 2, 4})}},
       .expect = {{"sign", tensor({}, {0})},
                  {"logabsdet", tensor({}, {-std::numeric_limits<double>::infinity()})}},
       .hold = {"input"}},
      {.name = "a determinant that overflows",
       .inputs = {{"input", tensor({2, 2}, {1e200, 0, 0, -1e200})}},
       .expect = {{"sign", tensor({}, {-1})}, {"logabsdet", tensor({}, {921.0340371976183})}},
       .hold = {"input"},
       .only_float64 = "the elements overflow float32"},
      {.name = "a determinant that underflows",
       .inputs = {{"input", tensor({2, 2}, {0, 1e-200, 1e-200, 0})}},
       .expect = {{"sign", tensor({}, {-1})}, {"logabsdet", tensor({}, {-921.0340371976183})}},
       .hold = {"input"},
       .only_float64 = "the elements underflow float32"},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
  };
}
