// Rows of by_mode, without a compile that chooses a mode: training.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(by_mode) {
  return {
      {.name = "training is the default mode",
       .inputs = {{"training", tensor({2}, {1, 2})}, {"inference", tensor({2}, {3, 4})}},
       .expect = {{"output", tensor({2}, {1, 2})}}},
      {.name = "inference",
       .inputs = {{"training", tensor({2}, {1, 2})},
                  {"inference", tensor({2}, {3, 4})},
                  {"is_inference", true}},
       .expect = {{"output", tensor({2}, {3, 4})}}},
      {.name = "training",
       .inputs = {{"training", normal({3, 4})},
                  {"inference", normal({3, 4})},
                  {"is_inference", false}}},
      {.name = "one element", .inputs = {{"training", normal({1})}, {"inference", normal({1})}}},
      {.name = "no elements",
       .inputs = {{"training", normal({0, 2})}, {"inference", normal({0, 2})}}},
      {.name = "ints",
       .inputs = {{"training", integers({2}, 1, 9)}, {"inference", integers({2}, 1, 9)}}},
      {.name = "other dims",
       .inputs = {{"training", normal({2})}, {"inference", normal({3})}},
       .error = "E0202"},
  };
}
