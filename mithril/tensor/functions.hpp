// A few functions of tensors, for C++ programs that prepare data and read results. They are plain
// loops: code that must be fast belongs in a model.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The elements start, start + step, ... before stop along one axis, as a new tensor. Axis,
// start and stop may count from the end, and ends beyond the axis are cut, as in Python:
// slice(x, 0, 10, 20) is rows 10 to 19, slice(x, -1, 0, -1) all but the last column. ValueError
// E0472 for an axis that the tensor does not have, E0473 for a step below 1.
Tensor slice(const Tensor& tensor, std::int64_t axis, std::int64_t start, std::int64_t stop,
             std::int64_t step = 1);

// The int64 indices of the largest elements along an axis, which the result does not have:
// argmax(logits, -1) is the class of each sample. Among equals the first counts, and a NaN is
// larger than any number. ValueError E0472, E0474 for an axis without elements.
Tensor argmax(const Tensor& tensor, std::int64_t axis);

// Element by element, with NumPy's broadcasting and dtypes: the wider of the two, where bools count
// as int64; ints divided give float64. ValueError E0471 for dims that do not broadcast.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);

// A number as an operand for the tensor: in the tensor's dtype, or in float64 if the number is
// floating and the tensor is not.
template <class T>
requires std::is_arithmetic_v<T> Tensor operand_for(const Tensor& tensor, T number) {
  if (is_floating(tensor.dtype())) return Tensor::full(tensor.dtype(), {}, double(number));
  if (std::is_floating_point_v<T>) return Tensor::full(DType::float64, {}, double(number));
  return Tensor::scalar(static_cast<std::int64_t>(number));
}
#define MITHRIL_NUMBER_OPERAND(op)                                   \
  template <class T>                                                 \
  requires std::is_arithmetic_v<T> Tensor op(const Tensor& a, T b) { \
    return op(a, operand_for(a, b));                                 \
  }                                                                  \
  template <class T>                                                 \
  requires std::is_arithmetic_v<T> Tensor op(T a, const Tensor& b) { \
    return op(operand_for(b, a), b);                                 \
  }
MITHRIL_NUMBER_OPERAND(operator+)
MITHRIL_NUMBER_OPERAND(operator-)
MITHRIL_NUMBER_OPERAND(operator*)
MITHRIL_NUMBER_OPERAND(operator/)
#undef MITHRIL_NUMBER_OPERAND

// Whether both have the same dims and equal elements, of any dtypes. A NaN is not equal to
// anything.
bool equal(const Tensor& a, const Tensor& b);

struct Tolerance {
  double rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
// Whether two tensors of integers, of any widths, have the same dims and the same numbers.
bool same_integers(const Tensor& a, const Tensor& b);
// Whether both have the same dims and |a - b| <= atol + rtol |b| for each pair of elements.
bool allclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance = {});

// Prints the dtype, the dims and the elements as NumPy does; of a long axis its first and last
// three.
//   float32[2, 3]
//   [[1, 2, 3],
//    [4, 5, 6]]
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace mithril
