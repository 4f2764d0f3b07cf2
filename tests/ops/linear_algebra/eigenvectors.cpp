// Rows of eigenvectors.
#include "tests/table/case.hpp"

MITHRIL_OP_CASES(eigenvectors) {
  const TensorSpec some = tensor({3, 3}, {4, 1, 0.5, 1, 1, -1, 0.5, -1, -3});
  constexpr int64_t rows = 20;
  std::vector<double> ones(rows * rows);
  for (int64_t i = 0; i < rows; ++i) ones[static_cast<size_t>(i * (rows + 1))] = 1;
  const TensorSpec diagonal = tensor({rows, rows}, ones);
  return {
      {.name = "three rows", .inputs = {{"input", some}}},
      {.name = "several",
       .inputs = {{"input", tensor({2, 2, 2}, {2, 0.5, 0.5, 3, 1, -0.25, -0.25, 4})}}},
      {.name = "one element", .inputs = {{"input", normal({1, 1})}}},
      {.name = "no elements", .inputs = {{"input", normal({0, 0})}}},
      {.name = "float32", .inputs = {{"input", some.as(DType::float32)}}},
      {.name = "worked out by hand",
       .inputs = {{"input", tensor({2, 2}, {2, 2, 2, 5})}},
       .expect = {{"output", tensor({2, 2}, {0.8944271909999159, 0.4472135954999579,
                                             -0.4472135954999579, 0.8944271909999159})}}},
      {.name = "elements that cancel",
       .inputs = {{"input", tensor({2, 2}, {0, 0.5, 0.5, 0})}},
       .expect = {{"output", tensor({2, 2}, {0.7071067811865475, 0.7071067811865475,
                                             -0.7071067811865475, 0.7071067811865475})}}},
      {.name = "many equal eigenvalues keep their order",
       .inputs = {{"input", diagonal}},
       .expect = {{"output", diagonal}},
       .hold = {"input"}},
      {.name = "no square", .inputs = {{"input", normal({2, 3})}}, .error = "E0202"},
  };
}
