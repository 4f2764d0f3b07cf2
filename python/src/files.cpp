// Files of tensors.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>

#include "convert.hpp"
#include "metadata.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/serialization/narrow.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril::python {
namespace {

// The types of NumPy and ml_dtypes that files have and Mithril's tensors do not.
std::optional<StorageType> file_type_of(const py::array& array) {
  static const std::map<std::string, StorageType, std::less<>> types = {
      {"uint8", StorageType::uint8},
      {"int8", StorageType::int8},
      {"int16", StorageType::int16},
      {"uint16", StorageType::uint16},
      {"uint32", StorageType::uint32},
      {"uint64", StorageType::uint64},
      {"complex64", StorageType::complex64},
      {"float8_e5m2", StorageType::float8_e5m2},
      {"float8_e4m3fn", StorageType::float8_e4m3},
      {"float8_e8m0fnu", StorageType::float8_e8m0},
      {"float8_e4m3fnuz", StorageType::float8_e4m3fnuz},
      {"float8_e5m2fnuz", StorageType::float8_e5m2fnuz}};
  const auto found = types.find(py::str(array.dtype()).cast<std::string>());
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

using Types = std::map<std::string, StorageType, std::less<>>;

// {"weight": "F8_E4M3"}, of keys of `tensors`.
Types types_of(py::handle given, const py::dict& tensors) {
  Types types;
  if (given.is_none()) return types;
  if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of texts, or None");
  for (const auto& [key, value] : given.cast<py::dict>()) {
    const std::string name = text_of(key, "the name of a key"), text = text_of(value, "a text");
    if (!tensors.contains(key)) {
      std::vector<std::string> known;
      for (const auto& [each, tensor] : tensors) known.push_back(text_of(each));
      unknown_name(ErrorKind::name, "E0681", "key", name, "", known);
    }
    const auto type = storage_type_named(text);
    if (!type) unknown_name(ErrorKind::name, "E0680", "dtype", text, name, storage_type_names());
    types[name] = *type;
  }
  return types;
}

// The entries of a file for a dict of arrays; keeps the arrays.
class FileTensors {
 public:
  FileTensors(const py::dict& dict, const Types& types) {
    for (const auto& [key, value] : dict) {
      const std::string name = text_of(key, "the name of a key");
      const auto stated = types.find(name);
      if (stated != types.end()) {
        const Tensor tensor = tensor_of(value, name).host();
        held_.push_back(narrowed(name, stated->second, tensor));
        const auto bytes = static_cast<size_t>(tensor.size() * bits_of(stated->second) / 8);
        tensors.push_back({name,
                           stated->second,
                           {tensor.dims().begin(), tensor.dims().end()},
                           {static_cast<const char*>(held_.back().raw_data()), bytes}});
        continue;
      }
      if (py::isinstance<py::array>(value)) {
        const auto array = py::reinterpret_borrow<py::array>(value);
        if (const auto type = file_type_of(array)) {
          add(name, *type, array);
          continue;
        }
      }
      const Tensor tensor = tensor_of(value, name).host();
      const StorageType type = storage_type_of(tensor.dtype());
      held_.push_back(bits_of(type) < 8 ? narrowed(name, type, tensor) : tensor);
      tensors.push_back(
          {name,
           type,
           {tensor.dims().begin(), tensor.dims().end()},
           {static_cast<const char*>(held_.back().raw_data()), held_.back().bytes()}});
    }
  }

  std::vector<TensorBytes> tensors;

 private:
  void add(const std::string& name, StorageType type, const py::array& given) {
    const py::array array =
        py::module_::import("numpy").attr("asarray")(given, py::arg("order") = "C");
    arrays_.push_back(array);
    tensors.push_back(
        {name,
         type,
         {array.shape(), array.shape() + array.ndim()},
         {static_cast<const char*>(array.data()), static_cast<size_t>(array.nbytes())}});
  }

  std::vector<Tensor> held_;
  std::vector<py::array> arrays_;
};

std::string save_file(py::handle path, const py::dict& tensors, py::handle metadata,
                      std::optional<uint64_t> max_shard_bytes, py::handle types) {
  const std::string file = path_of(path);
  const FileTensors all(tensors, types_of(types, tensors));
  const SafetensorsOptions options{.metadata = metadata_of(metadata),
                                   .max_shard_bytes = max_shard_bytes.value_or(0)};
  const InterpreterUnlocked free;
  return save_safetensors(file, all.tensors, options);
}

py::object load_file(py::handle path, bool return_metadata) {
  const std::string file = path_of(path);
  const LoadedTensors loaded = [&] {
    const InterpreterUnlocked free;
    return load_safetensors(file);
  }();
  if (!return_metadata) return dict_of(loaded.tensors);
  return py::make_tuple(dict_of(loaded.tensors), loaded.metadata);
}

// Objects with contiguous elements, one after the other.
void write_pieces(py::handle path, const std::vector<py::buffer>& pieces) {
  const std::string file = path_of(path);
  std::vector<py::buffer_info> held;
  std::vector<std::string_view> views;
  for (const py::buffer& piece : pieces) {
    held.push_back(piece.request());
    const auto bytes = static_cast<size_t>(held.back().size * held.back().itemsize);
    views.emplace_back(static_cast<const char*>(held.back().ptr), bytes);
  }
  const std::string why = [&] {
    const InterpreterUnlocked free;
    return write_file(file, views);
  }();
  if (!why.empty()) cannot_write(file, why);
}

}  // namespace

FileMetadata metadata_of(py::handle given) {
  FileMetadata metadata;
  if (given.is_none()) return metadata;
  if (!py::isinstance<py::dict>(given)) wrong_type(given, "a dict of texts, or None");
  for (const auto& [key, value] : given.cast<py::dict>()) {
    metadata[text_of(key, "a text")] = text_of(value, "a text");
  }
  return metadata;
}

std::string path_of(py::handle path) {
  constexpr const char* expected = "a path: text, or a pathlib.Path";
  if (!py::isinstance<py::str>(path) && !py::hasattr(path, "__fspath__"))
    wrong_type(path, expected);
  return text_of(py::module_::import("os").attr("fspath")(path), expected);
}

std::string_view ending_of(std::string_view path, std::initializer_list<std::string_view> endings) {
  std::string expected;
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return ending;
    expected += (expected.empty() ? "" : ", ") + std::string(ending);
  }
  raise({.kind = ErrorKind::value,
         .code = "E0492",
         .message = "the ending of " + in_quotes(path) + " names no language",
         .facts = {{"expected", expected}}});
}

void bind_files(py::module_& module) {
  module.def("save_safetensors", save_file, py::arg("path"), py::arg("tensors"), py::kw_only(),
             py::arg("metadata") = py::none(), py::arg("max_shard_bytes") = py::none(),
             py::arg("types") = py::none(),
             R"(Saves arrays to a safetensors file, atomically.

Args:
    path: path of the file.
    tensors: dict of arrays.
    metadata: dict of strings.
    max_shard_bytes: larger arrays are split into several files with an index. None writes one.
    types: dict of types in the file, such as {"weight": "F8_E4M3"}. None keeps the dtypes.

Returns:
    The path for `load_safetensors`.

Raises:
    InputError: If a file cannot be written.
    ValueError: If elements do not fit the type of the file.

Example:
    path = ml.save_safetensors("model.safetensors", params, metadata={"format": "mithril"})
    params = ml.load_safetensors(path)

See docs/checkpoints.md.)");
  module.def("load_safetensors", load_file, py::arg("path"), py::kw_only(),
             py::arg("return_metadata") = false,
             R"(Loads the arrays of a safetensors file.

The file is mapped into memory. Writing to an array does not change the file. The float8
types are widened to float32.

Args:
    path: path of a file, of an index of several files, or of a folder with model.safetensors.
    return_metadata: whether to return the tuple (arrays, metadata).

Returns:
    Dict of arrays.

Raises:
    InputError: If the file cannot be read.
    ParseError: If it is not a safetensors file, or is damaged.

Example:
    ml.save_safetensors("model.safetensors", params, metadata={"epoch": "3"})
    arrays, metadata = ml.load_safetensors("model.safetensors", return_metadata=True)

See docs/checkpoints.md.)");
  module.def("_write_file", write_pieces, py::arg("path"), py::arg("pieces"),
             "Writes the elements of arrays to a file, atomically.");
}

}  // namespace mithril::python
