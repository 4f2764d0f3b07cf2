// Rows of cast.
#include <cmath>

#include "tests/table/case.hpp"

MITHRIL_OP_CASES(cast) {
  return {
      {.name = "float64 to itself",
       .inputs = {{"input", normal({3, 4})}, {"dtype", DType::float64}}},
      {.name = "float64 to float32",
       .inputs = {{"input", normal({3, 4})}, {"dtype", DType::float32}}},
      {.name = "float32 to float64",
       .inputs = {{"input", normal({3, 4}).as(DType::float32)}, {"dtype", DType::float64}}},
      {.name = "float64 to float16",
       .inputs = {{"input", tensor({2}, {1, 65536})}, {"dtype", DType::float16}},
       .expect = {{"output", tensor({2}, {1, INFINITY}).as(DType::float16)}},
       .hold = {"input"}},
      {.name = "floats to ints, towards zero",
       .inputs = {{"input", tensor({3}, {1.9, -1.9, 0})}, {"dtype", DType::int64}},
       .expect = {{"output", tensor({3}, {1, -1, 0}).as(DType::int64)}}},
      {.name = "floats to bools",
       .inputs = {{"input", tensor({3}, {0.5, 0, NAN})}, {"dtype", DType::boolean}},
       .expect = {{"output", tensor({3}, {1, 0, 1}).as(DType::boolean)}}},
      {.name = "bools to ints",
       .inputs = {{"input", tensor({2}, {0, 1}).as(DType::boolean)}, {"dtype", DType::int32}},
       .expect = {{"output", tensor({2}, {0, 1}).as(DType::int32)}}},
      {.name = "ints to integers of 8 bits, which wrap",
       .inputs = {{"input", tensor({4}, {127, 128, -129, 256}).as(DType::int64)},
                  {"dtype", DType::int8}},
       .expect = {{"output", tensor({4}, {127, -128, 127, 0}).as(DType::int8)}}},
      {.name = "floats to unsigned integers",
       .inputs = {{"input", tensor({3}, {1.9, 255.5, 0})}, {"dtype", DType::uint16}},
       .expect = {{"output", tensor({3}, {1, 255, 0}).as(DType::uint16)}}},
      {.name = "unsigned integers to floats",
       .inputs = {{"input", tensor({2}, {0, 4294967295}).as(DType::uint32)},
                  {"dtype", DType::float64}},
       .expect = {{"output", tensor({2}, {0, 4294967295})}}},
      {.name = "negative ints to uint64",
       .inputs = {{"input", tensor({2}, {-1, 5}).as(DType::int32)}, {"dtype", DType::uint64}}},
      {.name = "ints to floats",
       .inputs = {{"input", integers({5}, -9, 10)}, {"dtype", DType::float64}}},
      {.name = "rank 0", .inputs = {{"input", normal({})}, {"dtype", DType::float64}}},
      {.name = "one element", .inputs = {{"input", normal({1})}, {"dtype", DType::float64}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 3})}, {"dtype", DType::float64}}},
      {.name = "a dtype that is a string",
       .inputs = {{"input", normal({3})}, {"dtype", "float32"}},
       .error = "E0301"},
  };
}
