// Rows of auc_core.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(auc_core) {
  return {
      {.name = "distinct scores",
       .inputs = {{"input", distinct({5})},
                  {"label", tensor({5}, {1, 0, 1, 1, 0}).as(DType::boolean)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({4}, {0.9, 0.1, 0.8, 0.3})},
                  {"label", tensor({4}, {1, 0, 0, 1}).as(DType::boolean)}},
       .expect = {{"output", tensor({2, 4}, {0.5, 0.5, 1, 1, 0, 0.5, 0.5, 1})}}},
      {.name = "a score that two share",
       .inputs = {{"input", tensor({3}, {0.5, 0.5, 0.1})},
                  {"label", tensor({3}, {1, 0, 0}).as(DType::boolean)}},
       .expect = {{"output", tensor({2, 3}, {1, 1, 1, 0.5, 0.5, 1})}}},
      {.name = "no samples",
       .inputs = {{"input", normal({0})}, {"label", booleans({0})}},
       .expect = {{"output", tensor({2, 0}, {})}}},
      {.name = "one sample",
       .inputs = {{"input", normal({1})}, {"label", tensor({1}, {1}).as(DType::boolean)}}},
      {.name = "float32",
       .inputs = {{"input", distinct({3}).as(DType::float32)},
                  {"label", tensor({3}, {1, 0, 0}).as(DType::boolean)}}},
      {.name = "labels that are not bools",
       .inputs = {{"input", normal({2})}, {"label", normal({2})}},
       .error = "E0301"},
      {.name = "another number of labels",
       .inputs = {{"input", normal({2})}, {"label", booleans({3})}},
       .error = "E0202"},
  };
}
