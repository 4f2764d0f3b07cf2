// The rows that conv2d_input_grad and conv2d_weight_grad share.
#pragma once

#include <vector>

#include "tests/table/case.hpp"

namespace mithril::tests {

// `by_hand`: the output for the gradient {1, 2}, the input {1, 2, 3} and the weight {3, 4}.
inline std::vector<OpCase> conv2d_grad_rows(const TensorSpec& by_hand) {
  return {
      {.name = "default",
       .inputs = {{"grad", normal({2, 4, 3, 3})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})}}},
      {.name = "a stride",
       .inputs = {{"grad", normal({2, 4, 2, 2})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"stride", 2}}},
      {.name = "a stride for each axis",
       .inputs = {{"grad", normal({2, 4, 2, 3})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"stride", ints({2, 1})}}},
      {.name = "padding",
       .inputs = {{"grad", normal({2, 4, 5, 5})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"padding", 1}}},
      {.name = "padding for each side",
       .inputs = {{"grad", normal({2, 4, 4, 5})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"padding", Datum(Tuple{Tuple{1, 0}, Tuple{0, 2}})}}},
      {.name = "dilation",
       .inputs = {{"grad", normal({2, 4, 3, 2})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"dilation", ints({1, 2})}}},
      {.name = "groups",
       .inputs = {{"grad", normal({2, 6, 2, 2})},
                  {"input", normal({2, 4, 4, 4})},
                  {"weight", normal({6, 2, 3, 3})},
                  {"groups", 2}}},
      {.name = "size 1",
       .inputs = {{"grad", normal({1, 1, 1, 1})},
                  {"input", normal({1, 1, 1, 1})},
                  {"weight", normal({1, 1, 1, 1})}}},
      {.name = "no samples",
       .inputs = {{"grad", normal({0, 4, 3, 3})},
                  {"input", normal({0, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})}}},
      {.name = "float32",
       .inputs = {{"grad", normal({1, 4, 3, 3}).as(DType::float32)},
                  {"input", normal({1, 3, 5, 4}).as(DType::float32)},
                  {"weight", normal({4, 3, 3, 2}).as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"grad", tensor({1, 1, 1, 2}, {1, 2})},
                  {"input", tensor({1, 1, 1, 3}, {1, 2, 3})},
                  {"weight", tensor({1, 1, 1, 2}, {3, 4})}},
       .expect = {{"output", by_hand}}},
      {.name = "a gradient of another size",
       .inputs = {{"grad", normal({2, 4, 3, 4})},
                  {"input", normal({2, 3, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})}},
       .error = "E0202"},
      {.name = "channels that do not fit",
       .inputs = {{"grad", normal({2, 4, 3, 3})},
                  {"input", normal({2, 4, 5, 4})},
                  {"weight", normal({4, 3, 3, 2})},
                  {"groups", 1}},
       .error = "E0206",
       .message = "channels"},
  };
}

}  // namespace mithril::tests
