// Rows of monomials.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(monomials) {
  const DType int64 = DType::int64;
  return {
      {.name = "pairs of two",
       .inputs = {{"variables", 2}, {"degree", 2}},
       .expect = {{"output", tensor({5, 2}, {0, 1, 0, 2, 1, 1, 1, 2, 2, 2}).as(int64)}}},
      {.name = "alone",
       .inputs = {{"variables", 3}, {"degree", 1}},
       .expect = {{"output", tensor({3, 1}, {1, 2, 3}).as(int64)}}},
      {.name = "powers of one",
       .inputs = {{"variables", 1}, {"degree", 3}},
       .expect = {{"output", tensor({3, 3}, {0, 0, 1, 0, 1, 1, 1, 1, 1}).as(int64)}}},
      {.name = "many", .inputs = {{"variables", 4}, {"degree", 4}}},
      {.name = "nothing",
       .inputs = {{"variables", 0}, {"degree", 2}},
       .expect = {{"output", tensor({0, 2}, {}).as(int64)}}},
      {.name = "the degree 0",
       .inputs = {{"variables", 2}, {"degree", 0}},
       .error = "E0402",
       .message = "the degree is too low"},
  };
}
