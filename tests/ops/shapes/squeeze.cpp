// Rows of squeeze.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(squeeze) {
  const std::string open = "which sizes are 1 shows when they are known";
  return {
      {.name = "all", .inputs = {{"input", normal({1, 3, 1, 2})}}, .sizes_unknown = open},
      {.name = "no axis of size 1", .inputs = {{"input", normal({3, 2})}}, .sizes_unknown = open},
      {.name = "to rank 0", .inputs = {{"input", normal({1, 1})}}},
      {.name = "rank 0, along axis 0", .inputs = {{"input", normal({})}, {"axis", 0}}},
      {.name = "one axis", .inputs = {{"input", normal({1, 3, 1})}, {"axis", 0}}},
      {.name = "from the end", .inputs = {{"input", normal({1, 3, 1})}, {"axis", -1}}},
      {.name = "several", .inputs = {{"input", normal({1, 3, 1})}, {"axis", ints({2, 0})}}},
      {.name = "none", .inputs = {{"input", normal({1, 3})}, {"axis", Tuple{}}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 1})}}, .sizes_unknown = open},
      {.name = "ints", .inputs = {{"input", integers({1, 3}, 0, 9)}, {"axis", 0}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({1, 2}, {3, 4})}},
       .expect = {{"output", tensor({2}, {3, 4})}},
       .sizes_unknown = open},
      {.name = "another size",
       .inputs = {{"input", normal({1, 3})}, {"axis", 1}},
       .error = "E0206",
       .message = "axis 1 cannot be squeezed"},
      {.name = "an axis out of range",
       .inputs = {{"input", normal({1, 3})}, {"axis", 2}},
       .error = "E0402",
       .message = "axis 2 is out of range for rank 2"},
      {.name = "an axis twice",
       .inputs = {{"input", normal({1, 1})}, {"axis", ints({0, -2})}},
       .error = "E0402",
       .message = "axis -2 is named twice"},
  };
}
