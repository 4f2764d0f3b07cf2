// Rows of pad.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(pad) {
  auto widths = [](std::vector<std::vector<std::int64_t>> pairs) {
    Tuple tuple;
    for (const auto& pair : pairs) tuple.push_back(ints(pair));
    return Datum(tuple);
  };
  return {
      {.name = "both ends",
       .inputs = {{"input", normal({2, 3})}, {"pad_width", widths({{1, 2}, {3, 1}})}}},
      {.name = "one end",
       .inputs = {{"input", normal({2, 3})}, {"pad_width", widths({{0, 2}, {1, 0}})}}},
      {.name = "with a number",
       .inputs = {{"input", normal({2})}, {"pad_width", widths({{1, 1}})}, {"value", -2.5}}},
      {.name = "widths of 0", .inputs = {{"input", normal({2})}, {"pad_width", widths({{0, 0}})}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}, {"pad_width", widths({})}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"pad_width", widths({{1, 0}})}}},
      {.name = "no elements",
       .inputs = {{"input", normal({0, 2})}, {"pad_width", widths({{1, 2}, {0, 1}})}}},
      {.name = "ints",
       .inputs = {{"input", integers({3}, 0, 9)}, {"pad_width", widths({{1, 1}})}, {"value", 7}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({1, 2}, {1, 2})},
                  {"pad_width", widths({{1, 0}, {0, 1}})},
                  {"value", 9}},
       .expect = {{"output", tensor({2, 3}, {9, 9, 9, 1, 2, 9})}}},
      {.name = "widths do not fit the rank",
       .inputs = {{"input", normal({2, 3})}, {"pad_width", widths({{1, 2}})}},
       .error = "E0402",
       .message = "the pad widths do not fit rank 2"},
      {.name = "negative widths",
       .inputs = {{"input", normal({4, 5})}, {"pad_width", widths({{-1, -2}, {-2, 0}})}}},
      {.name = "negative at one end, more at the other",
       .inputs = {{"input", normal({4, 3, 2})},
                  {"pad_width", widths({{-1, 2}, {3, -2}, {1, 1}})},
                  {"value", 0.5}}},
      {.name = "no elements left",
       .inputs = {{"input", normal({2, 3})}, {"pad_width", widths({{-1, -1}, {0, 0}})}}},
      {.name = "only padding left",
       .inputs = {{"input", normal({2})}, {"pad_width", widths({{-2, 3}})}, {"value", 2}}},
      {.name = "negative widths, worked out by hand",
       .inputs = {{"input", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                  {"pad_width", widths({{-1, 1}, {-1, -1}})},
                  {"value", 9}},
       .expect = {{"output", tensor({2, 1}, {5, 9})}}},
      {.name = "ints, cut",
       .inputs = {{"input", integers({4}, 0, 9)}, {"pad_width", widths({{-1, -1}})}}},
      {.name = "a negative size",
       .inputs = {{"input", normal({2})}, {"pad_width", widths({{-3, 4}})}},
       .error = "E0402",
       .message = "a negative pad width leaves out more than there is"},
      {.name = "no pair",
       .inputs = {{"input", normal({2})}, {"pad_width", widths({{1}})}},
       .error = "E0402",
       .message = "a pad width is not a pair"},
  };
}
