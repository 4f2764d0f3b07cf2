// Rows of svdvals.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(svdvals) {
  const TensorSpec tall = tensor({3, 2}, {1, 2, -1, 0.5, 2, -1});
  const char* lesser = "the lesser of two sizes shows when both are known";
  return {
      {.name = "tall", .inputs = {{"input", tall}}, .sizes_unknown = lesser},
      {.name = "wide",
       .inputs = {{"input", tensor({2, 3}, {1, 2, -1, 0.5, 2, -3})}},
       .sizes_unknown = lesser},
      {.name = "several", .inputs = {{"input", tensor({2, 2, 2}, {2, 1, 1, 3, 0.25, 1, -2, 1})}}},
      {.name = "one element",
       .inputs = {{"input", tensor({1, 1}, {-2})}},
       .expect = {{"output", tensor({1}, {2})}}},
      {.name = "no rows", .inputs = {{"input", normal({0, 2})}}, .sizes_unknown = lesser},
      {.name = "float32", .inputs = {{"input", tall.as(DType::float32)}}, .sizes_unknown = lesser},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {3, 0, 4, 5})}},
       .expect = {{"output", tensor({2}, {6.708203932499369, 2.23606797749979})}}},
      {.name = "a singular matrix",
       .inputs = {{"input", tensor({3, 2}, {1, 2, 2, 4, -2, -4})}},
       .expect = {{"output", tensor({2}, {6.708203932499369, 0})}},
       .hold = {"input"},
       .sizes_unknown = lesser},
      {.name = "no element but zeros",
       .inputs = {{"input", tensor({2, 3}, {0, 0, 0, 0, 0, 0})}},
       .expect = {{"output", tensor({2}, {0, 0})}},
       .hold = {"input"},
       .sizes_unknown = lesser},
      {.name = "equal values",
       .inputs = {{"input", tensor({2, 2}, {0, -2, 2, 0})}},
       .expect = {{"output", tensor({2}, {2, 2})}},
       .hold = {"input"}},
      {.name = "ints", .inputs = {{"input", integers({2, 2}, 0, 9)}}, .error = "E0301"},
  };
}
