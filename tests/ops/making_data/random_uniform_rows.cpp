// Rows of random_uniform_rows.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(random_uniform_rows) {
  const auto rows = [](const std::vector<std::int64_t>& shape, int first, int total, int axis) {
    return PortContents{{"like", normal(shape)},
                        {"key", integers({}, 0, 100)},
                        {"first", integers({}, first, first + 1)},
                        {"total", integers({}, total, total + 1)},
                        {"axis", axis}};
  };
  return {
      {.name = "the last rows", .inputs = rows({2, 3}, 3, 5, 0)},
      {.name = "all rows", .inputs = rows({4}, 0, 4, 0)},
      {.name = "one", .inputs = rows({1}, 2, 3, 0)},
      {.name = "rows along a middle axis", .inputs = rows({3, 2, 5}, 4, 7, 1)},
      {.name = "rows along the last axis", .inputs = rows({3, 2}, 1, 4, -1)},
      {.name = "none", .inputs = rows({0, 2}, 2, 3, 0), .expect = {{"output", tensor({0, 2}, {})}}},
      {.name = "none along a middle axis",
       .inputs = rows({2, 0, 2}, 2, 3, 1),
       .expect = {{"output", tensor({2, 0, 2}, {})}}},
      {.name = "a float place is refused",
       .inputs = {{"like", normal({2})},
                  {"key", integers({}, 5, 6)},
                  {"first", normal({})},
                  {"total", integers({}, 5, 6)},
                  {"axis", 0}},
       .error = "E0301"},
  };
}
