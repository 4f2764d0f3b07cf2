// The functions that a module for another library's tensors provides to _core.
#pragma once

#include <Python.h>

#include "mithril/tensor/tensor.hpp"

namespace mithril::python {

struct TensorBridge {
  bool (*is_theirs)(PyObject* object);
  Tensor (*from_object)(PyObject* object);  // shares the elements
  bool (*can_wrap)(const Tensor& tensor);
  PyObject* (*to_object)(const Tensor& tensor);  // returns a new reference; shares the elements
};
inline constexpr const char* bridge_name = "mithril.TensorBridge";  // of its capsule

}  // namespace mithril::python
