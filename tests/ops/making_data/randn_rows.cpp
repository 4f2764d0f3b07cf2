// Rows of randn_rows.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(randn_rows) {
  const auto rows = [](const Datum& shape, int first, int total, int axis) {
    return PortContents{{"shape", shape},
                        {"key", integers({}, 0, 100)},
                        {"first", integers({}, first, first + 1)},
                        {"total", integers({}, total, total + 1)},
                        {"axis", axis}};
  };
  PortContents with_dtype = rows(3, 1, 4, 0), with_float_place = rows(2, 0, 2, 0);
  with_dtype.push_back({"dtype", DType::float64});
  with_float_place[2] = {"first", normal({})};
  return {
      {.name = "the last rows", .inputs = rows(ints({2, 3}), 3, 5, 0)},
      {.name = "all rows", .inputs = rows(4, 0, 4, 0)},
      {.name = "one", .inputs = rows(1, 2, 3, 0)},
      {.name = "rows along a middle axis", .inputs = rows(ints({3, 2, 5}), 4, 7, 1)},
      {.name = "rows along the last axis", .inputs = rows(ints({3, 2}), 1, 4, -1)},
      {.name = "none along a middle axis",
       .inputs = rows(ints({2, 0, 2}), 2, 3, 1),
       .expect = {{"output", tensor({2, 0, 2}, {})}}},
      {.name = "a dtype", .inputs = with_dtype},
      {.name = "a float place is refused", .inputs = with_float_place, .error = "E0301"},
  };
}
