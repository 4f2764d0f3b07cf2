// Rows of qr.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(qr) {
  const TensorSpec square = tensor({3, 3}, {0.5, 2, -1, 3, 1, 0.5, -1, 0.5, 1.5});
  const TensorSpec tall = tensor({3, 2}, {1, 2, -1, 0.5, 2, -1});
  const TensorSpec wide = tensor({2, 3}, {1, 2, -1, 0.5, 2, -3});
  const char* lesser = "the lesser of two sizes shows when both are known";
  return {
      {.name = "square", .inputs = {{"input", square}}},
      {.name = "tall", .inputs = {{"input", tall}}, .sizes_unknown = lesser},
      {.name = "wide", .inputs = {{"input", wide}}, .sizes_unknown = lesser},
      {.name = "complete, square", .inputs = {{"input", square}, {"mode", "complete"}}},
      {.name = "complete, wide", .inputs = {{"input", wide}, {"mode", "complete"}}},
      {.name = "complete, tall",
       .inputs = {{"input", tall}, {"mode", "complete"}},
       .hold = {"input"}},
      {.name = "several", .inputs = {{"input", tensor({2, 2, 2}, {2, 1, 1, 3, 0.25, 1, -2, 1})}}},
      {.name = "one element", .inputs = {{"input", tensor({1, 1}, {-2})}}},
      {.name = "one column",
       .inputs = {{"input", tensor({3, 1}, {1, -2, 2})}},
       .sizes_unknown = lesser},
      {.name = "one row",
       .inputs = {{"input", tensor({1, 3}, {-1, 2, 2})}},
       .sizes_unknown = lesser},
      {.name = "no rows", .inputs = {{"input", normal({0, 2})}}, .sizes_unknown = lesser},
      {.name = "no columns, complete",
       .inputs = {{"input", normal({2, 0})}, {"mode", "complete"}},
       .expect = {{"Q", tensor({2, 2}, {1, 0, 0, 1})}},
       .hold = {"input"}},
      {.name = "no matrices", .inputs = {{"input", normal({0, 2, 3})}}, .sizes_unknown = lesser},
      {.name = "float32", .inputs = {{"input", tall.as(DType::float32)}}, .sizes_unknown = lesser},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {3, 1, 4, 2})}},
       .expect = {{"Q", tensor({2, 2}, {0.6, -0.8, 0.8, 0.6})},
                  {"R", tensor({2, 2}, {5, 2.2, 0, 0.4})}}},
      {.name = "worked out by hand, wide",
       .inputs = {{"input", tensor({2, 3}, {-3, 1, 5, 4, 2, 10})}},
       .expect = {{"Q", tensor({2, 2}, {-0.6, 0.8, 0.8, 0.6})},
                  {"R", tensor({2, 3}, {5, 1, 5, 0, 2, 10})}},
       .sizes_unknown = lesser},
      {.name = "an upper triangle",
       .inputs = {{"input", tensor({2, 2}, {2, -1, 0, -3})}},
       .expect = {{"Q", tensor({2, 2}, {1, 0, 0, -1})}, {"R", tensor({2, 2}, {2, -1, 0, 3})}}},
      {.name = "large elements",
       .inputs = {{"input", tensor({2, 2}, {3e200, 1e200, 4e200, 2e200})}},
       .expect = {{"Q", tensor({2, 2}, {0.6, -0.8, 0.8, 0.6})},
                  {"R", tensor({2, 2}, {5e200, 2.2e200, 0, 0.4e200})}},
       .hold = {"input"},
       .only_float64 = "the elements overflow float32"},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
      {.name = "a vector", .inputs = {{"input", normal({2})}}, .error = "E0201"},
  };
}
