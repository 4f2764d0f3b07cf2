// Rows of embedding.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(embedding) {
  return {
      {.name = "sentences",
       .inputs = {{"input", integers({2, 3}, 0, 5)}, {"weight", normal({5, 4})}}},
      {.name = "one word", .inputs = {{"input", integers({}, 0, 5)}, {"weight", normal({5, 4})}}},
      {.name = "a table of one row",
       .inputs = {{"input", integers({3}, 0, 1)}, {"weight", normal({1, 4})}}},
      {.name = "no words",
       .inputs = {{"input", integers({0, 3}, 0, 5)}, {"weight", normal({5, 4})}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2}, {1, 0}).as(DType::int64)},
                  {"weight", tensor({2, 2}, {1, 2, 3, 4})}},
       .expect = {{"output", tensor({2, 2}, {3, 4, 1, 2})}}},
      {.name = "words that are floats",
       .inputs = {{"input", normal({2})}, {"weight", normal({5, 4})}},
       .error = "E0301"},
      {.name = "a table of rank 1",
       .inputs = {{"input", integers({2}, 0, 5)}, {"weight", normal({5})}},
       .error = "E0201"},
  };
}
