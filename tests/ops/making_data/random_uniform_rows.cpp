// Rows of random_uniform_rows.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(random_uniform_rows) {
  return {
      {.name = "the last rows",
       .inputs = {{"like", normal({2, 3})},
                  {"key", integers({}, 0, 100)},
                  {"first", integers({}, 9, 10)}}},
      {.name = "all rows",
       .inputs = {{"like", normal({4})},
                  {"key", integers({}, 5, 6)},
                  {"first", integers({}, 0, 1)}}},
      {.name = "one",
       .inputs = {{"like", normal({1})},
                  {"key", integers({}, 5, 6)},
                  {"first", integers({}, 2, 3)}}},
      {.name = "none",
       .inputs = {{"like", normal({0, 2})},
                  {"key", integers({}, 5, 6)},
                  {"first", integers({}, 4, 5)}},
       .expect = {{"output", tensor({0, 2}, {})}}},
      {.name = "a float place is refused",
       .inputs = {{"like", normal({2})}, {"key", integers({}, 5, 6)}, {"first", normal({})}},
       .error = "E0301"},
  };
}
