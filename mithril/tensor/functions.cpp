#include "mithril/tensor/functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace mithril {
namespace {

std::size_t axis_at(const Tensor& tensor, std::int64_t axis) {
  const std::int64_t rank = tensor.rank();
  if (axis >= -rank && axis < rank) return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  raise({.kind = ErrorKind::value,
         .code = "E0472",
         .message = "the tensor has no axis " + std::to_string(axis),
         .facts = {{"tensor", dtype_and_dims(tensor)}}});
}

// The numbers of elements before and after an axis.
struct Around {
  std::int64_t outer = 1, count = 1, inner = 1;
};
Around around(const Dims& dims, std::size_t axis) {
  Around sizes;
  for (std::size_t i = 0; i < dims.size(); ++i)
    (i < axis ? sizes.outer : i == axis ? sizes.count : sizes.inner) *= dims[i];
  return sizes;
}

// The dtype that elements of this one are computed in.
DType computed_in(DType dtype) {
  if (!is_floating(dtype)) return dtype == DType::uint64 ? dtype : DType::int64;
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

Tensor in_dtype(const Tensor& tensor, DType dtype) {
  const Tensor here = tensor.host();
  return here.dtype() == dtype ? here : here.to(dtype);
}

template <class Function>
void visit_computed(DType dtype, Function function) {
  if (dtype == DType::int64) return function(std::int64_t{});
  if (dtype == DType::uint64) return function(std::uint64_t{});
  dtype == DType::float64 ? function(double{}) : function(float{});
}

Dims broadcast(const Tensor& a, const Tensor& b) {
  const Dims &longer = a.rank() < b.rank() ? b.dims() : a.dims(),
             &shorter = a.rank() < b.rank() ? a.dims() : b.dims();
  Dims dims = longer;
  for (std::size_t i = 1; i <= shorter.size(); ++i) {
    std::int64_t& dim = dims[dims.size() - i];
    const std::int64_t other = shorter[shorter.size() - i];
    if (dim != other && dim != 1 && other != 1) {
      raise({.kind = ErrorKind::value,
             .code = "E0471",
             .message = "the dims of the tensors do not broadcast",
             .facts = {{"left", dtype_and_dims(a)}, {"right", dtype_and_dims(b)}}});
    }
    if (dim == 1) dim = other;
  }
  return dims;
}

// The strides of a tensor along the axes of the dims that it broadcasts to.
Dims steps(const Dims& from, const Dims& to) {
  Dims result(to.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    const std::int64_t dim = from[from.size() - i];
    if (dim != 1) result[to.size() - i] = step;
    step *= dim;
  }
  return result;
}

// Calls visit(index into a, index into b) for each element of dims, in row-major order.
template <class Visit>
void walk(const Dims& dims, const Dims& a, const Dims& b, Visit visit) {
  Dims at(dims.size(), 0);
  std::int64_t i = 0, j = 0;
  for (std::int64_t left = element_count(dims); left > 0; --left) {
    visit(i, j);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      i += a[axis];
      j += b[axis];
      if (++at[axis] < dims[axis]) break;
      i -= a[axis] * dims[axis];
      j -= b[axis] * dims[axis];
      at[axis] = 0;
    }
  }
}

template <class Function>
Tensor map_pairs(const Tensor& a, const Tensor& b, DType result, Function function) {
  const Dims dims = broadcast(a, b);
  const DType dtype = computed_in(result);
  const Tensor left = in_dtype(a, dtype), right = in_dtype(b, dtype);
  Tensor made = Tensor::empty(dtype, dims);
  visit_computed(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = made.mutable_data<T>();
    const T *x = left.data<T>(), *y = right.data<T>();
    walk(dims, steps(a.dims(), dims), steps(b.dims(), dims),
         [&](std::int64_t i, std::int64_t j) { *out++ = function(x[i], y[j]); });
  });
  return made.dtype() == result ? made : made.to(result);
}

DType wider(const Tensor& a, const Tensor& b) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return dtype == DType::boolean ? DType::int64 : dtype;
}

// Ints wrap: unsigned arithmetic is defined on overflow.
template <class T, class Function>
T wrapping(T a, T b, Function function) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  } else {
    return function(a, b);
  }
}

// Whether int64 does not hold an element.
bool exceeds_int64(const Tensor& tensor) {
  if (tensor.dtype() != DType::uint64) return false;
  const Tensor here = tensor.host();
  const auto elements = here.values<std::uint64_t>();
  return std::any_of(elements.begin(), elements.end(),
                     [](std::uint64_t element) { return element >> 63 != 0; });
}

// Whether the predicate holds for every pair of elements; false for tensors of other dims.
template <class Predicate>
bool all_pairs(const Tensor& a, const Tensor& b, Predicate predicate) {
  if (a.dims() != b.dims()) return false;
  const DType both = promote(a.dtype(), b.dtype());
  const DType dtype = is_floating(both) ? DType::float64 : computed_in(both);
  if (dtype == DType::int64 && (exceeds_int64(a) || exceeds_int64(b))) return false;
  const Tensor left = in_dtype(a, dtype), right = in_dtype(b, dtype);
  bool all = true;
  visit_computed(dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto x = left.values<T>(), y = right.values<T>();
    all = std::equal(x.begin(), x.end(), y.begin(), predicate);
  });
  return all;
}

}  // namespace

Tensor slice(const Tensor& tensor, std::int64_t axis, std::int64_t start, std::int64_t stop,
             std::int64_t step) {
  const std::size_t along = axis_at(tensor, axis);
  if (step < 1) {
    raise({.kind = ErrorKind::value,
           .code = "E0473",
           .message = "slice: the step is 1 or more",
           .facts = {{"got", std::to_string(step)}}});
  }
  const Tensor from = tensor.host();
  const Around sizes = around(from.dims(), along);
  const auto cut = [&](std::int64_t end) {
    return std::clamp<std::int64_t>(end < 0 ? end + sizes.count : end, 0, sizes.count);
  };
  const std::int64_t first = cut(start), last = cut(stop);
  Dims dims = from.dims();
  dims[along] = last > first ? (last - first - 1) / step + 1 : 0;
  Tensor made = Tensor::empty(from.dtype(), dims);
  if (made.size() == 0) return made;
  const std::size_t bytes = static_cast<std::size_t>(sizes.inner) * size_of(from.dtype());
  const char* in = static_cast<const char*>(from.raw_data());
  char* out = static_cast<char*>(made.mutable_raw_data());
  for (std::int64_t i = 0; i < sizes.outer; ++i) {
    for (std::int64_t j = 0; j < dims[along]; ++j, out += bytes)
      std::memcpy(out, in + static_cast<std::size_t>(i * sizes.count + first + j * step) * bytes,
                  bytes);
  }
  return made;
}

Tensor argmax(const Tensor& tensor, std::int64_t axis) {
  const std::size_t along = axis_at(tensor, axis);
  const Around sizes = around(tensor.dims(), along);
  Dims dims = tensor.dims();
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(along));
  Tensor made = Tensor::empty(DType::int64, dims);
  if (sizes.count == 0 && made.size() > 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0474",
           .message = "argmax: axis " + std::to_string(axis) + " has no elements",
           .facts = {{"tensor", dtype_and_dims(tensor)}}});
  }
  const DType dtype = computed_in(tensor.dtype());
  const Tensor from = in_dtype(tensor, dtype);
  std::int64_t* out = made.mutable_data<std::int64_t>();
  visit_computed(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = from.data<T>();
    for (std::int64_t i = 0; i < sizes.outer * sizes.inner; ++i) {
      const T* row = x + i / sizes.inner * sizes.count * sizes.inner + i % sizes.inner;
      std::int64_t best = 0;
      for (std::int64_t j = 1; j < sizes.count; ++j) {
        const T here = row[j * sizes.inner], most = row[best * sizes.inner];
        if (here > most || (here != here && most == most)) best = j;
      }
      out[i] = best;
    }
  });
  return made;
}

Tensor operator+(const Tensor& a, const Tensor& b) {
  return map_pairs(a, b, wider(a, b), [](auto x, auto y) { return wrapping(x, y, std::plus<>()); });
}

Tensor operator-(const Tensor& a, const Tensor& b) {
  return map_pairs(a, b, wider(a, b),
                   [](auto x, auto y) { return wrapping(x, y, std::minus<>()); });
}

Tensor operator*(const Tensor& a, const Tensor& b) {
  return map_pairs(a, b, wider(a, b),
                   [](auto x, auto y) { return wrapping(x, y, std::multiplies<>()); });
}

Tensor operator/(const Tensor& a, const Tensor& b) {
  const DType dtype = wider(a, b);
  return map_pairs(a, b, is_floating(dtype) ? dtype : DType::float64, [](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>) return x / y;
    return T{};  // ints are computed as float64
  });
}

Tensor operator-(const Tensor& a) { return a * -1; }

bool equal(const Tensor& a, const Tensor& b) {
  return all_pairs(a, b, [](auto x, auto y) { return x == y; });
}

bool same_integers(const Tensor& a, const Tensor& b) {
  const bool is_huge = exceeds_int64(a);
  if (a.dims() != b.dims() || is_huge != exceeds_int64(b)) return false;
  const DType dtype = is_huge ? DType::uint64 : DType::int64;
  return identical(in_dtype(a, dtype), in_dtype(b, dtype));
}

bool allclose(const Tensor& a, const Tensor& b, const Tolerance& tolerance) {
  return all_pairs(a, b, [&](auto left, auto right) {
    const double x = static_cast<double>(left), y = static_cast<double>(right);
    if (x == y) return true;
    if (std::isnan(x) || std::isnan(y))
      return tolerance.equal_nan && std::isnan(x) && std::isnan(y);
    return std::isfinite(y) && std::abs(x - y) <= tolerance.atol + tolerance.rtol * std::abs(y);
  });
}

}  // namespace mithril
