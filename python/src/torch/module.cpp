// The module mithril._torch: converts between torch.Tensor and tensors of Mithril, without a copy
// and without Python code.
#include <pybind11/pybind11.h>
#include <torch/csrc/autograd/python_variable.h>

#include "../bridge.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::python {
namespace {

bool is_theirs(PyObject* object) { return THPVariable_Check(object); }

Tensor from_object(PyObject* object) {
  return torch_backend::from_torch(THPVariable_Unpack(object));
}

bool can_wrap(const Tensor& tensor) { return torch_backend::is_torch(tensor); }

PyObject* to_object(const Tensor& tensor) {
  return THPVariable_Wrap(*static_cast<const at::Tensor*>(tensor.foreign()->object()));
}

const TensorBridge bridge{is_theirs, from_object, can_wrap, to_object};

}  // namespace

PYBIND11_MODULE(_torch, module) {
  module.attr("bridge") = pybind11::capsule(static_cast<const void*>(&bridge), bridge_name);
}

}  // namespace mithril::python
