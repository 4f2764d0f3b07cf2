// Rows of random_uniform.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(random_uniform) {
  return {
      {.name = "a matrix", .inputs = {{"like", normal({3, 4})}, {"key", integers({}, 0, 100)}}},
      {.name = "one", .inputs = {{"like", normal({1})}, {"key", integers({}, 5, 6)}}},
      {.name = "none",
       .inputs = {{"like", normal({0, 2})}, {"key", integers({}, 5, 6)}},
       .expect = {{"output", tensor({0, 2}, {})}}},
      {.name = "a float key is refused",
       .inputs = {{"like", normal({2})}, {"key", normal({})}},
       .error = "E0301"},
  };
}
