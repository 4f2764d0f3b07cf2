// Parameters of Python that C++ updates.
#pragma once

#include <pybind11/numpy.h>

#include <utility>
#include <vector>

#include "convert.hpp"

namespace mithril::python {

// Parameters that are updated in place. Arrays that are not contiguous are copied, and copied back
// after the update.
class UpdatedParameters {
 public:
  // `updates_torch`: whether tensors of torch are given as such, to be updated on their device.
  explicit UpdatedParameters(const py::dict& params, bool updates_torch = false) {
    std::vector<TensorMap::Item> items;
    for (const auto& [key, value] : params) {
      const bool is_array = py::isinstance<py::array>(value);
      if (!is_array && !py::isinstance<Tensor>(value) && !has_dlpack(value)) {
        wrong_type(value, "an array that can be written to");
      }
      Tensor tensor = updates_torch ? tensor_of(value) : writable_tensor_of(value);
      if (is_array) keep_if_copied(py::reinterpret_borrow<py::array>(value), tensor);
      items.emplace_back(text_of(key, "the name of a key"), std::move(tensor));
    }
    tensors = TensorMap(std::move(items));
  }

  void copy_back() const {
    for (const auto& [array, tensor] : copied_) array[py::ellipsis()] = array_of(tensor);
  }

  TensorMap tensors;

 private:
  void keep_if_copied(const py::array& array, const Tensor& tensor) {
    if (array.size() == 0 || array.data() == tensor.raw_data()) return;
    static_cast<void>(py::array(array).mutable_data());  // raises if it is read-only
    copied_.emplace_back(array, tensor);
  }

  std::vector<std::pair<py::object, Tensor>> copied_;
};

}  // namespace mithril::python
