// Rows of svd.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(svd) {
  const TensorSpec square = tensor({3, 3}, {4, 1, 0.5, -1, 1, -1, 0.5, -1, -3});
  const TensorSpec tall = tensor({3, 2}, {1, 2, -1, 0.5, 2, -1});
  const TensorSpec wide = tensor({2, 3}, {1, 2, -1, 0.5, 2, -3});
  const char* lesser = "the lesser of two sizes shows when both are known";
  return {
      {.name = "square", .inputs = {{"input", square}}},
      {.name = "tall", .inputs = {{"input", tall}}, .sizes_unknown = lesser},
      {.name = "wide", .inputs = {{"input", wide}}, .sizes_unknown = lesser},
      {.name = "several", .inputs = {{"input", tensor({2, 2, 2}, {2, 1, 1, 3, 0.25, 1, -2, 1})}}},
      {.name = "one element", .inputs = {{"input", tensor({1, 1}, {-2})}}},
      {.name = "one column",
       .inputs = {{"input", tensor({3, 1}, {1, -2, 2})}},
       .sizes_unknown = lesser},
      {.name = "one row",
       .inputs = {{"input", tensor({1, 3}, {-1, 2, 2})}},
       .sizes_unknown = lesser},
      {.name = "no rows", .inputs = {{"input", normal({0, 2})}}, .sizes_unknown = lesser},
      {.name = "no columns", .inputs = {{"input", normal({2, 0})}}, .sizes_unknown = lesser},
      {.name = "no matrices", .inputs = {{"input", normal({0, 2, 3})}}, .sizes_unknown = lesser},
      {.name = "float32", .inputs = {{"input", tall.as(DType::float32)}}, .sizes_unknown = lesser},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {3, 0, 4, 5})}},
       .expect = {{"U", tensor({2, 2}, {0.31622776601683794, 0.9486832980505138, 0.9486832980505138,
                                        -0.31622776601683794})},
                  {"S", tensor({2}, {6.708203932499369, 2.23606797749979})},
                  {"Vh", tensor({2, 2}, {0.7071067811865475, 0.7071067811865475, 0.7071067811865475,
                                         -0.7071067811865475})}}},
      {.name = "a diagonal, by size",
       .inputs = {{"input", tensor({2, 3}, {2, 0, 0, 0, -3, 0})}},
       .expect = {{"U", tensor({2, 2}, {0, 1, 1, 0})},
                  {"S", tensor({2}, {3, 2})},
                  {"Vh", tensor({2, 3}, {0, -1, 0, 1, 0, 0})}},
       .sizes_unknown = lesser},
      {.name = "large elements",
       .inputs = {{"input", tensor({2, 2}, {3e200, 0, 4e200, 5e200})}},
       .expect = {{"S", tensor({2}, {6.708203932499369e200, 2.23606797749979e200})}},
       .hold = {"input"},
       .only_float64 = "the elements overflow float32"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
      {.name = "a vector", .inputs = {{"input", normal({2})}}, .error = "E0201"},
  };
}
