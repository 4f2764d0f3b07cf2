// Rows of avg_pool1d.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(avg_pool1d) {
  return {
      {.name = "default", .inputs = {{"input", normal({2, 3, 7})}, {"kernel_size", 2}}},
      {.name = "a stride",
       .inputs = {{"input", normal({2, 3, 7})}, {"kernel_size", 3}, {"stride", 1}}},
      {.name = "padding",
       .inputs = {{"input", normal({2, 3, 7})}, {"kernel_size", 3}, {"padding", 1}}},
      {.name = "padding for each side",
       .inputs = {{"input", normal({2, 3, 7})}, {"kernel_size", 2}, {"padding", ints({0, 1})}}},
      {.name = "dilation",
       .inputs = {{"input", normal({2, 3, 7})}, {"kernel_size", 2}, {"dilation", 2}}},
      {.name = "rank 2", .inputs = {{"input", normal({3, 7})}, {"kernel_size", 2}}},
      {.name = "no rows", .inputs = {{"input", distinct({0, 4})}, {"kernel_size", 2}}},
      {.name = "size 1", .inputs = {{"input", normal({1, 1, 1})}, {"kernel_size", 1}}},
      {.name = "no samples", .inputs = {{"input", normal({0, 3, 4})}, {"kernel_size", 2}}},
      {.name = "ints", .inputs = {{"input", integers({2, 3, 4}, -9, 10)}, {"kernel_size", 2}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({1, 5}, {1, 2, 3, 5, 8})}, {"kernel_size", 2}},
       .expect = {{"output", tensor({1, 2}, {1.5, 4})}}},
      {.name = "a window larger than the input",
       .inputs = {{"input", normal({2, 3, 1})}, {"kernel_size", 2}},
       .error = "E0206",
       .message = "window"},
      {.name = "a kernel of two axes",
       .inputs = {{"input", normal({2, 3, 4})}, {"kernel_size", ints({2, 2})}},
       .error = "E0301"},
      {.name = "no stride",
       .inputs = {{"input", normal({2, 3, 4})}, {"kernel_size", 2}, {"stride", 0}},
       .error = "E0402",
       .message = "stride"},
  };
}
