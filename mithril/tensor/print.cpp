// Tensors as NumPy prints them.
#include <ostream>

#include <fmt/format.h>

#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

constexpr std::int64_t most_printed = 8, at_each_end = 3;  // of a longer axis

std::string text(const Tensor& tensor, std::int64_t index) {
  return visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T element = tensor.data<T>()[index];
    if constexpr (!std::is_arithmetic_v<T>) {
      return fmt::format("{}", static_cast<float>(element));
    } else {
      return fmt::format("{}", element);
    }
  });
}

void print(std::ostream& stream, const Tensor& tensor, std::size_t axis, std::int64_t index) {
  if (axis == tensor.dims().size()) {
    stream << text(tensor, index);
    return;
  }
  const std::int64_t dim = tensor.dims()[axis];
  const bool innermost = axis + 1 == tensor.dims().size();
  const std::string between = innermost ? ", " : ",\n" + std::string(axis + 1, ' ');
  stream << '[';
  for (std::int64_t i = 0; i < dim; ++i) {
    if (i > 0) stream << between;
    if (dim > most_printed && i == at_each_end) {
      stream << "..." << between;
      i = dim - at_each_end;
    }
    print(stream, tensor, axis + 1, index * dim + i);
  }
  stream << ']';
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  stream << dtype_and_dims(tensor) << '\n';
  const Tensor here = tensor.host();
  print(stream, is_low_bit(here.dtype()) ? here.to(widened(here.dtype())) : here, 0, 0);
  return stream;
}

}  // namespace mithril
