// Converts tensors without a copy: NumPy arrays by their buffers, everything else by DLPack.
#include <pybind11/numpy.h>

#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "bridge.hpp"
#include "convert.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/tensor/dlpack.hpp"

namespace mithril::python {
namespace {

// The bridge to torch's tensors, loaded on first use.
const TensorBridge* bridge = nullptr;

// Keeps a Python object alive from C++, and releases it with the interpreter's lock held.
std::shared_ptr<void> keep(py::object object) {
  PyObject* pointer = object.release().ptr();
  return std::shared_ptr<void>(pointer, [](void* held) {
    if (!Py_IsInitialized()) return;
    const InterpreterLocked lock;
    Py_DECREF(static_cast<PyObject*>(held));
  });
}

std::optional<DType> low_bit_dtype_named(const std::string& text) {
  for (const DType dtype : low_bit_dtypes) {
    if (text == name(dtype)) return dtype;
  }
  return std::nullopt;
}

// Whether NumPy has the dtype without the package ml_dtypes.
bool is_of_numpy(DType dtype) { return dtype != DType::bfloat16 && !is_low_bit(dtype); }

// bfloat16 and the low-bit dtypes are those of the package ml_dtypes, which need not be installed.
std::optional<DType> dtype_of_array(const py::array& array) {
  const char kind = array.dtype().kind();
  const auto size = array.itemsize();
  if (size == 2 && py::str(array.dtype()).equal(py::str("bfloat16"))) return DType::bfloat16;
  if (size == 1 && (kind == 'V' || kind == 'f')) return low_bit_dtype_named(py::str(array.dtype()));
  if (kind == 'b') return DType::boolean;
  if (kind == 'i' && size == 1) return DType::int8;
  if (kind == 'i' && size == 2) return DType::int16;
  if (kind == 'u' && size == 1) return DType::uint8;
  if (kind == 'u' && size == 2) return DType::uint16;
  if (kind == 'u' && size == 4) return DType::uint32;
  if (kind == 'u' && size == 8) return DType::uint64;
  if (kind == 'i' && size == 4) return DType::int32;
  if (kind == 'i' && size == 8) return DType::int64;
  if (kind == 'f' && size == 2) return DType::float16;
  if (kind == 'f' && size == 4) return DType::float32;
  if (kind == 'f' && size == 8) return DType::float64;
  return std::nullopt;
}

// A tensor over the elements of a row-major array.
Tensor borrowed(py::array array, DType dtype) {
  Dims dims(array.shape(), array.shape() + array.ndim());
  const bool writeable = array.writeable();
  void* data = const_cast<void*>(array.data());
  std::shared_ptr<void> owner = keep(std::move(array));
  if (writeable) return Tensor::borrow(dtype, std::move(dims), data, std::move(owner));
  return Tensor::borrow(dtype, std::move(dims), static_cast<const void*>(data), std::move(owner));
}

// A masked array would lose its mask. Only classes that derive from NumPy's have one.
void refuse_mask(const py::array& array, const std::string& key) {
  if (std::string_view(Py_TYPE(array.ptr())->tp_name) == "numpy.ndarray") return;
  if (!py::hasattr(array, "mask") || !array.attr("mask").attr("any")().cast<bool>()) return;
  raise({.kind = ErrorKind::type,
         .code = "E0379",
         .path = key,
         .message = "no array can be made of this",
         .facts = {{"got", "a masked array, whose mask would be lost", ""}},
         .help = "give filled(value), and the mask as an input of its own"});
}

Tensor from_array(py::array array, const std::string& key) {
  refuse_mask(array, key);
  const std::optional<DType> dtype = dtype_of_array(array);
  if (!dtype) {
    raise(
        {.kind = ErrorKind::type,
         .code = "E0391",
         .path = key,
         .message =
             "Mithril has no dtype for arrays of " + py::str(array.dtype()).cast<std::string>(),
         .help =
             "convert it with .astype to bool, an integer, float16, bfloat16, float32 or float64"});
  }
  if (!(array.flags() & py::array::c_style) || !array.dtype().attr("isnative").cast<bool>()) {
    array = py::module_::import("numpy").attr("ascontiguousarray")(
        array, array.dtype().attr("newbyteorder")("="));
  }
  return borrowed(std::move(array), *dtype);
}

// The array that NumPy makes of lists and numbers.
py::array array_from(py::handle object, const std::string& key) {
  try {
    return py::module_::import("numpy").attr("asarray")(object);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError)) throw;  // of an __array__ that raises
    raise({.kind = ErrorKind::type,
           .code = "E0379",
           .path = key,
           .message = "no array can be made of this",
           .facts = {{"got", shown(object), ""},
                     {"why", py::str(error.value()).cast<std::string>(), ""}},
           .help = "the lists of an array have one length at each depth"});
  }
}

[[noreturn]] void refuse_capsule(const py::object& given) {
  const bool is_capsule = PyCapsule_CheckExact(given.ptr());
  const char* name = is_capsule ? PyCapsule_GetName(given.ptr()) : nullptr;
  const bool used = name && std::string_view(name).starts_with("used_dltensor");
  raise({.kind = ErrorKind::type,
         .code = "E0394",
         .message = used ? "a DLPack capsule was consumed before"
                         : "what __dlpack__ gave is not a tensor of DLPack",
         .facts = {{"expected", "a capsule named 'dltensor' or 'dltensor_versioned'", ""},
                   {"got",
                    name         ? "a capsule named " + in_quotes(name)
                    : is_capsule ? "a capsule without a name"
                                 : "no capsule",
                    ""}},
         .help = used ? "each capsule gives its tensor once: call __dlpack__ again" : ""});
}

Tensor from_capsule(const py::object& given) {
  constexpr const char *versioned = "dltensor_versioned", *old = "dltensor";
  if (PyCapsule_IsValid(given.ptr(), versioned)) {
    Tensor tensor = from_dlpack(static_cast<dlpack::DLManagedTensorVersioned*>(
        PyCapsule_GetPointer(given.ptr(), versioned)));
    PyCapsule_SetName(given.ptr(), "used_dltensor_versioned");
    return tensor;
  }
  if (!PyCapsule_IsValid(given.ptr(), old)) refuse_capsule(given);
  Tensor tensor =
      from_dlpack(static_cast<dlpack::DLManagedTensor*>(PyCapsule_GetPointer(given.ptr(), old)));
  PyCapsule_SetName(given.ptr(), "used_dltensor");
  return tensor;
}

// torch exports no tensor that requires gradients. The detached tensor shares its elements.
py::object unwatched(py::handle object) {
  if (py::hasattr(object, "requires_grad") && py::hasattr(object, "detach") &&
      py::object(object.attr("requires_grad")).is(py::bool_(true)))
    return object.attr("detach")();
  return py::reinterpret_borrow<py::object>(object);
}

py::capsule to_capsule(const Tensor& tensor) {
  return py::capsule(to_dlpack(tensor), "dltensor_versioned", [](PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;  // it was consumed
    auto* managed = static_cast<dlpack::DLManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    managed->deleter(managed);
  });
}

py::capsule to_old_capsule(const Tensor& tensor) {
  return py::capsule(to_dlpack_unversioned(tensor), "dltensor", [](PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor")) return;
    auto* managed =
        static_cast<dlpack::DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  });
}

// An array of the elements, of dtypes that NumPy lacks as uint16 and uint8.
py::object shared_bits(const Tensor& tensor) {
  const py::dtype dtype(is_of_numpy(tensor.dtype())    ? std::string(name(tensor.dtype()))
                        : size_of(tensor.dtype()) == 2 ? "uint16"
                                                       : "uint8");
  auto* held = new Tensor(tensor);
  const py::capsule base(held, [](void* pointer) { delete static_cast<Tensor*>(pointer); });
  std::vector<py::ssize_t> dims(tensor.dims().begin(), tensor.dims().end());
  py::array array(dtype, std::move(dims), std::vector<py::ssize_t>{}, tensor.raw_data(), base);
  if (tensor.read_only()) array.attr("setflags")(py::arg("write") = false);
  return array;
}

// The inverse of shared_bits: a tensor that shares the elements of a row-major array.
Tensor tensor_of_bits(const py::array& bits, DType dtype) {
  if (is_of_numpy(dtype)) return from_array(bits, "");
  if (static_cast<size_t>(bits.itemsize()) != size_of(dtype)) {
    wrong_type(bits, size_of(dtype) == 2 ? "an array of uint16" : "an array of uint8");
  }
  return borrowed(bits, dtype);
}

}  // namespace

bool has_dlpack(py::handle object) {
  return !PyType_Check(object.ptr()) && py::hasattr(object, "__dlpack__");
}

Tensor writable_tensor_of(py::handle object) {
  const bool foreign = bridge && bridge->is_theirs(object.ptr());
  return foreign ? from_capsule(unwatched(object).attr("__dlpack__")()) : tensor_of(object);
}

Tensor tensor_of(py::handle object, const std::string& key) {
  if (py::isinstance<Tensor>(object)) return object.cast<Tensor>();
  if (py::isinstance<py::array>(object))
    return from_array(py::reinterpret_borrow<py::array>(object), key);
  if (bridge && bridge->is_theirs(object.ptr())) return bridge->from_object(object.ptr());
  if (has_dlpack(object)) return from_capsule(unwatched(object).attr("__dlpack__")());
  return from_array(array_from(object, key), key);
}

py::object array_of(const Tensor& tensor) {
  if (bridge && bridge->can_wrap(tensor)) {
    return py::reinterpret_steal<py::object>(bridge->to_object(tensor));
  }
  return is_of_numpy(tensor.dtype()) ? shared_bits(tensor) : py::cast(tensor);
}

TensorMap tensor_map_of(const py::dict& dict) {
  std::vector<TensorMap::Item> items;
  items.reserve(dict.size());
  for (const auto& [key, value] : dict) {
    std::string name = text_of(key, "the name of a key");
    Tensor tensor = tensor_of(value, name);
    items.emplace_back(std::move(name), std::move(tensor));
  }
  return TensorMap(std::move(items));
}

State state_of(py::handle dict) {
  if (dict.is_none()) return {};
  if (!py::isinstance<py::dict>(dict)) wrong_type(dict, "a dict of states");
  return State(tensor_map_of(dict.cast<py::dict>()));
}

py::dict dict_of(const TensorMap& map) {
  py::dict dict;
  for (const auto& [key, tensor] : map) dict[py::str(key)] = array_of(tensor);
  return dict;
}

void bind_tensors(py::module_& module) {
  module.def(
      "use_bridge",
      [](const py::capsule& capsule) {
        bridge = static_cast<const TensorBridge*>(PyCapsule_GetPointer(capsule.ptr(), bridge_name));
        if (!bridge) throw py::error_already_set();
      },
      py::arg("capsule"),
      "Registers the tensor class of another library, whose tensors are accepted and returned.");
  py::class_<Tensor>(
      module, "Tensor",
      R"(An array of numbers, for values in models and for bfloat16, which NumPy lacks.

Args:
    value: a number, nested lists, an array, or an object with `__dlpack__`. Arrays are not copied
        where possible.
    dtype: dtype to convert to. None keeps the dtype of the value.

Raises:
    TypeError: If no array can be made of the value, or Mithril lacks its dtype.

Example:
    tensor = ml.Tensor([[1, 2], [3, 4]], dtype=ml.bfloat16))")
      .def(py::init([](py::handle value, py::handle dtype) {
             const Tensor tensor = tensor_of(value);
             return dtype.is_none() ? tensor : tensor.to(dtype_of_object(dtype));
           }),
           py::arg("value"), py::arg("dtype") = py::none())
      .def_property_readonly(
          "shape", [](const Tensor& t) { return py::tuple(py::cast(t.dims())); },
          "The shape, a tuple of ints.")
      .def_property_readonly("dtype", &Tensor::dtype, "The dtype of the elements.")
      .def(
          "detach", [](const Tensor& t) { return t; },
          R"(Returns a tensor of the same shape that shares the memory.

Code that was written for tensors of torch may call it.

Example:
    array = ml.Tensor([1.0, 2.0]).detach().numpy())")
      .def("_bytes",
           [](const Tensor& t) {
             const Tensor here = t.host();
             return py::bytes(static_cast<const char*>(here.raw_data()), here.bytes());
           })
      .def_static(
          "_from_bytes",
          [](const py::bytes& bytes, DType dtype, const Dims& dims) {
            Tensor made = Tensor::empty(dtype, dims);
            const auto text = static_cast<std::string_view>(bytes);
            if (text.size() != made.bytes()) wrong_type(bytes, "as many bytes as the sizes need");
            std::memcpy(made.mutable_raw_data(), text.data(), text.size());
            return made;
          },
          py::arg("bytes"), py::arg("dtype"), py::arg("shape"))
      .def("_bits",
           [](const Tensor& t) {  // what is written to a copy would be lost
             const Tensor here = t.host();
             return shared_bits(t.read_only() ? here.as_read_only() : here);
           })
      .def_static("_of_bits", tensor_of_bits, py::arg("bits"), py::arg("dtype"))
      .def("__dlpack__",
           [](const Tensor& t, const py::kwargs& options) {
             const bool versioned = options.contains("max_version") &&
                                    !options["max_version"].is_none() &&
                                    options["max_version"].cast<std::pair<int, int>>().first >= 1;
             return versioned ? to_capsule(t) : to_old_capsule(t);
           })
      .def("__dlpack_device__", [](const Tensor&) { return std::pair(1, 0); })
      .def("__repr__", [](const Tensor& t) { return "Tensor(" + to_string(t) + ")"; })
      .def(
          "__eq__", [](const Tensor& a, const Tensor& b) { return identical(a, b); },
          py::is_operator());
}

}  // namespace mithril::python
