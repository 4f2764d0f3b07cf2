// Matrices in eval, one after another: [..., M, N].
#pragma once
#include <cstdint>
#include <vector>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

inline int64_t matrix_count(const Dims& dims) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < dims.size(); ++i) count *= dims[i];
  return count;
}

inline Matrix matrix_at(const Elements<double>& elements, const Dims& dims, int64_t index) {
  Matrix matrix(dims[dims.size() - 2], dims.back());
  const int64_t start = index * matrix.rows * matrix.columns;
  for (size_t i = 0; i < matrix.elements.size(); ++i)
    matrix.elements[i] = elements[start + static_cast<int64_t>(i)];
  return matrix;
}

// Calls make(matrix) for each matrix of "input" and writes the result in row-major order.
template <typename Make>
void each_matrix(EvalContext& c, Make make) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      for (const double element : make(matrix_at(x, dims, i))) *y++ = static_cast<T>(element);
    }
  });
}

// Writes matrix number `index` of output number `output`.
template <typename T>
void write_matrix(EvalContext& c, int output, int64_t index, const std::vector<double>& elements) {
  auto y = c.write<T>(output) + index * static_cast<int64_t>(elements.size());
  for (const double element : elements) *y++ = static_cast<T>(element);
}

}  // namespace mithril
