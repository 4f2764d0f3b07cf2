#include "backends/cpu/gemm/scaled_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace mithril::cpu_backend {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// The least integer of a column that is not 0 has at most this absolute value. In 8 bits, nearly
// every column has such a one.
constexpr int most_least_integer = 4;
constexpr int64_t most_tested_rows = 1024;

struct FloatMatrix {
  const float* elements;
  int64_t columns, rows;
  bool transposed;

  float at(int64_t row, int64_t column) const {
    return elements[transposed ? column * rows + row : row * columns + column];
  }
  // Calls body(column, element, index) in the order of memory, until it returns false. Returns
  // whether none did.
  template <typename Body>
  bool each_element(const Body& body) const {
    size_t index = 0;
    for (int64_t line = 0; line < (transposed ? columns : rows); ++line) {
      for (int64_t i = 0; i < (transposed ? rows : columns); ++i, ++index) {
        if (!body(static_cast<size_t>(transposed ? line : i), elements[index], index)) return false;
      }
    }
    return true;
  }
};

// The nearest integer of the quotient, if its absolute value is below 2^22.
float integer_of(float x, float scale) {
  // Above 2^23, floats are 1 apart, so the sum is rounded to an integer.
  constexpr float shift = 3 << 22;
  return (x / scale + shift) - shift;
}

// Whether the number is the product of the scale and an integer that int16 holds.
bool is_multiple(float x, float scale) {
  const float number = integer_of(x, scale);
  return std::abs(number) <= float{INT16_MAX} && number * scale == x;
}

// Whether the first elements of the column have a scale as below. Nearly all weights that are not
// quantized are refused here.
bool may_have_scale(const FloatMatrix& matrix, int64_t column) {
  const int64_t rows = std::min(matrix.rows, most_tested_rows);
  float least = infinity;
  for (int64_t row = 0; row < rows; ++row) {
    const float x = std::abs(matrix.at(row, column));
    if (x > 0) least = std::min(least, x);
  }
  for (int divisor = 1; divisor <= most_least_integer; ++divisor) {
    const float scale = least == infinity ? 1 : least / static_cast<float>(divisor);
    int64_t row = 0;
    while (row < rows && is_multiple(matrix.at(row, column), scale)) ++row;
    if (row == rows) return true;
  }
  return false;
}

// The least absolute value of each column that is not 0; infinity where all are 0.
std::vector<float> least_of_columns(const FloatMatrix& matrix) {
  std::vector<float> least(static_cast<size_t>(matrix.columns), infinity);
  matrix.each_element([&](size_t column, float x, size_t) {
    if (x != 0) least[column] = std::min(least[column], std::abs(x));
    return true;
  });
  return least;
}

// None if an element is not the product of its scale and an integer that int16 holds.
std::optional<ScaledIntegers> with_scales(const FloatMatrix& matrix, std::vector<float> scales) {
  ScaledIntegers found{std::move(scales)};
  const bool are_multiples = matrix.each_element([&](size_t column, float x, size_t) {
    const float scale = found.scales[column];
    if (!is_multiple(x, scale)) return false;
    const float number = integer_of(x, scale);
    found.least = std::min(found.least, number);
    found.largest = std::max(found.largest, number);
    return true;
  });
  return are_multiples ? std::optional(std::move(found)) : std::nullopt;
}

// The scales of the columns, of which `least` are small multiples.
std::vector<float> scales_of_columns(const FloatMatrix& matrix, const std::vector<float>& least) {
  std::vector<float> scales = least;
  for (int divisor = 2; divisor <= most_least_integer; ++divisor) {
    std::vector<bool> fits(scales.size(), true);
    matrix.each_element([&](size_t column, float x, size_t) {
      if (fits[column] && !is_multiple(x, scales[column])) fits[column] = false;
      return true;
    });
    for (size_t column = 0; column < scales.size(); ++column) {
      if (!fits[column]) scales[column] = least[column] / static_cast<float>(divisor);
    }
  }
  return scales;
}

FloatMatrix matrix_of(const Tensor& tensor, int64_t columns, bool transposed) {
  return {tensor.data<float>(), columns, tensor.size() / columns, transposed};
}

}  // namespace

std::optional<ScaledIntegers> scaled_integers(const Tensor& tensor, int64_t columns,
                                              bool transposed) {
  if (tensor.foreign() || tensor.size() == 0) return std::nullopt;
  const FloatMatrix matrix = matrix_of(tensor, columns, transposed);
  const auto equal = [&](float scale) {
    return std::vector<float>(static_cast<size_t>(columns), scale);
  };
  if (auto integers = with_scales(matrix, equal(1))) return integers;
  for (const int64_t column : {int64_t{0}, columns / 2, columns - 1}) {
    if (!may_have_scale(matrix, column)) return std::nullopt;
  }
  std::vector<float> least = least_of_columns(matrix);
  // Not all elements are 0, which is an integer.
  if (auto shared = with_scales(matrix, equal(*std::min_element(least.begin(), least.end()))))
    return shared;
  std::replace(least.begin(), least.end(), infinity, 1.0F);
  return with_scales(matrix, scales_of_columns(matrix, least));
}

Tensor integers_of(const Tensor& tensor, const ScaledIntegers& of, bool transposed) {
  const FloatMatrix matrix = matrix_of(tensor, std::ssize(of.scales), transposed);
  Tensor integers = Tensor::empty(DType::int16, tensor.dims());
  auto* const to = integers.mutable_data<int16_t>();
  matrix.each_element([&](size_t column, float x, size_t index) {
    to[index] = static_cast<int16_t>(integer_of(x, of.scales[column]));
    return true;
  });
  return integers;
}

}  // namespace mithril::cpu_backend
