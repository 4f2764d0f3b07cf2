// Numbers, values and tensors as Python.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "codegen/jax/python_text.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

inline std::string numpy_dtype(DType dtype) {
  return dtype == DType::boolean ? "bool" : "np." + std::string(name(dtype));
}

inline std::string python_number(double number, DType dtype) {
  if (dtype == DType::boolean) return number != 0 ? "True" : "False";
  if (is_integer(dtype)) return fmt::format("{}", static_cast<int64_t>(number));
  if (!std::isfinite(number))
    return std::isnan(number) ? "np.nan" : number < 0 ? "-np.inf" : "np.inf";
  return dtype == DType::float32 ? fmt::format("{:#}", static_cast<float>(number))
                                 : fmt::format("{:#}", number);
}

// An argument of a kernel: None, True, -1, 0.5, "mean", (0, 1).
inline std::string python_argument(const Datum& datum) {
  switch (datum.kind()) {
    case kind::bool_value:
      return datum.flag() ? "True" : "False";
    case kind::int_value:
      return fmt::format("{}", datum.integer());
    case kind::float_value:
      return python_number(datum.real(), DType::float64);
    case kind::string:
      return codegen::python_string(datum.text());
    case kind::tuple: {
      std::vector<std::string> items;
      for (const Datum& item : datum.tuple()) items.push_back(python_argument(item));
      return codegen::python_tuple(items);
    }
    default:
      return "None";  // dtypes are those of the tensors
  }
}

inline std::string numpy_constant(const Tensor& tensor) {
  std::string elements;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    elements += i == 0 ? "" : ", ";
    elements += tensor.dtype() == DType::int64
                    ? fmt::format("{}", tensor.data<int64_t>()[i])
                    : python_number(tensor.at_as_double(i), tensor.dtype());
  }
  return "np.array([" + elements + "], " + numpy_dtype(tensor.dtype()) + ")";
}

}  // namespace mithril::tests
