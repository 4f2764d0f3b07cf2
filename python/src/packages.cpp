// Packages; python/mithril/packages/package.py is the interface.
#include "mithril/package/package.hpp"

#include <pybind11/stl.h>

#include "convert.hpp"

namespace mithril::python {
namespace {

// (name, path or bytes), ...
std::vector<PackageAsset> assets_of(const py::list& given) {
  std::vector<PackageAsset> assets;
  for (const py::handle each : given) {
    const auto pair = each.cast<py::tuple>();
    PackageAsset asset{.name = text_of(pair[0], "the name of a file")};
    if (py::isinstance<py::bytes>(pair[1])) {
      asset.bytes = pair[1].cast<std::string>();
    } else {
      asset.path = path_of(pair[1]);
    }
    assets.push_back(std::move(asset));
  }
  return assets;
}

// {"name": text, "options": JSON as text, "files": assets}, ...
std::vector<PackageBackend> package_backends_of(const py::list& given) {
  std::vector<PackageBackend> backends;
  for (const py::handle each : given) {
    const auto fields = each.cast<py::dict>();
    backends.push_back({.name = text_of(fields["name"], "the name of a backend"),
                        .options = text_of(fields["options"], "JSON as text"),
                        .files = assets_of(fields["files"].cast<py::list>())});
  }
  return backends;
}

void save_any_package(py::handle path, const Model& model, const py::dict& params,
                      const py::dict& state, const py::list& backends, const py::list& assets,
                      const std::vector<std::string>& data_keys, const py::dict& shapes,
                      py::handle outputs, const std::map<std::string, std::string>& texts,
                      const std::map<std::string, std::int64_t>& sizes,
                      std::uint64_t max_shard_bytes) {
  const State held(tensor_map_of(state));
  std::vector<std::pair<std::string, ShapeSpec>> shapes_by_name;
  for (const auto& [key, shape] : shapes)
    shapes_by_name.emplace_back(text_of(key, "the name of a key"), shape_of(shape));
  const auto text = [&](const char* name) { return texts.at(name); };
  save_package(path_of(path), model, tensor_map_of(params),
               {.state = &held,
                .backends = package_backends_of(backends),
                .assets = assets_of(assets),
                .outputs = outputs_of(outputs).outputs,
                .data_keys = data_keys,
                .shapes = std::move(shapes_by_name),
                .name = text("name"),
                .revision = text("revision"),
                .model_type = text("model_type"),
                .family = text("family"),
                .licence = text("licence"),
                .source = text("source"),
                .sizes = sizes,
                .max_shard_bytes = max_shard_bytes});
}

// (name, dtype, shape), ...: shapes of ints, names of sizes and None. `unnamed` counts these,
// because sizes with one name are equal in all ports of a package.
std::vector<PackagePort> package_ports_of(const py::list& given, int& unnamed) {
  std::vector<PackagePort> ports;
  for (const py::handle each : given) {
    const auto item = each.cast<py::tuple>();
    std::vector<KnownDim> dims;
    for (const py::handle dim : item[2].cast<py::sequence>()) {
      if (dim.is_none()) {
        dims.emplace_back("?" + std::to_string(++unnamed), false);
      } else if (py::isinstance<py::str>(dim)) {
        dims.emplace_back(text_of(dim, "the name of a size"));
      } else if (py::isinstance<py::int_>(dim)) {
        dims.emplace_back(dim.cast<std::int64_t>());
      } else {
        wrong_type(dim, "a size: an int, a name or None");
      }
    }
    ports.push_back({.name = text_of(item[0], "the name of a port"),
                     .dtype = dtype_of_object(item[1]),
                     .shape = KnownShape(std::move(dims))});
  }
  return ports;
}

void save_any_native_package(py::handle path, const py::list& inputs, const py::list& outputs,
                             const py::list& backends, const py::list& assets,
                             const std::map<std::string, std::string>& texts) {
  const auto text = [&](const char* name) { return texts.at(name); };
  int unnamed = 0;
  const auto in = package_ports_of(inputs, unnamed), out = package_ports_of(outputs, unnamed);
  save_native_package(path_of(path), in, out,
                      {.backends = package_backends_of(backends),
                       .assets = assets_of(assets),
                       .name = text("name"),
                       .revision = text("revision"),
                       .model_type = text("model_type"),
                       .family = text("family"),
                       .licence = text("licence"),
                       .source = text("source")});
}

Package load_any_package(py::handle path, const std::string& backend, bool lazy,
                         bool allow_native_code) {
  return load_package(path_of(path), {.backend = backend,
                                      .verify = lazy ? PackageChecks::lazy : PackageChecks::full,
                                      .allow_native_code = allow_native_code});
}

py::list port_dicts(const std::vector<PackagePort>& ports) {
  py::list items;
  for (const PackagePort& port : ports) {
    const py::object shape = port.shape ? py::object(sizes_of(*port.shape)) : py::none();
    items.append(py::dict(py::arg("name") = port.name, py::arg("dtype") = port.dtype,
                          py::arg("shape") = shape));
  }
  return items;
}

py::dict package_info_dict(const Package& package) {
  const PackageInfo& info = package.info();
  return py::dict(py::arg("name") = info.name, py::arg("revision") = info.revision,
                  py::arg("created_at") = info.created_at, py::arg("model_type") = info.model_type,
                  py::arg("family") = info.family, py::arg("licence") = info.licence,
                  py::arg("source") = info.source, py::arg("backends") = info.backends,
                  py::arg("inputs") = port_dicts(info.inputs),
                  py::arg("outputs") = port_dicts(info.outputs), py::arg("sizes") = info.sizes);
}

py::list package_file_dicts(const Package& package) {
  py::list items;
  for (const PackageFile& file : package.files()) {
    items.append(py::dict(py::arg("name") = file.name, py::arg("bytes") = file.bytes,
                          py::arg("sha256") = file.sha256));
  }
  return items;
}

py::dict package_params(const Package& package) {
  const TensorMap& params = [&]() -> const TensorMap& {
    const InterpreterUnlocked free;
    return package.params();
  }();
  return dict_of(params);
}

}  // namespace

void bind_packages(py::module_& module) {
  module.def("_save_package", save_any_package);
  module.def("_save_native_package", save_any_native_package);
  module.def("_load_package", load_any_package);
  module.def("_copy_package",
             [](py::handle from, py::handle to) { copy_package(path_of(from), path_of(to)); });
  py::class_<Package>(module, "_Package", "The members of `mithril.Package` that the core has.")
      .def(py::init<const Package&>(), py::arg("loaded"))
      .def_property_readonly("path", &Package::path, "The path from which the package was loaded.")
      .def_property_readonly("params", package_params,
                             "Dict of the parameters, which are read-only arrays.")
      .def_property_readonly(
          "state", [](const Package& package) { return dict_of(package.state()); },
          "Dict of the saved state, for `evaluate`. It is empty if there is none.")
      .def_property_readonly("assets", &Package::assets,
                             "The names of further files, such as tokenizer.json.")
      .def(
          "file",
          [](const Package& package, const std::string& name) {
            return py::bytes(package.file(name));
          },
          py::arg("name"), R"(Returns the contents of a file of the package as bytes.

Raises:
    NameError: If the package has no such file.

Example:
    ml.save_package("linear", model, params, assets={"notes.txt": b"for digits"})
    assert ml.load_package("linear").file("notes.txt") == b"for digits")")
      .def("backend_options", &Package::backend_options, py::arg("backend"),
           "Returns the options of the package for a backend as JSON text.")
      .def("native_file", &Package::native_file, py::arg("name"),
           R"(Returns the path of a file of native code, which needs `allow_native_code=True`.

Raises:
    BackendError: If `load_package` did not allow native code.
    NameError: If the package has no such file.

Example:
    files = {"kernels.so": b"machine code"}
    ml.save_package("native", model, params, backends={"cpu": {"files": files}})
    path = ml.load_package("native", allow_native_code=True).native_file("backends/cpu/kernels.so"))")
      .def("verify", &Package::verify, py::call_guard<InterpreterUnlocked>(),
           R"(Verifies the checksums of all files.

Raises:
    ParseError: If a checksum differs.

Example:
    ml.save_package("linear", model, params)
    ml.load_package("linear", verify="lazy").verify())")
      .def("_info", package_info_dict)
      .def("_files", package_file_dicts)
      .def("_make_model", [](const Package& package) { return object_of(package.make_model()); })
      .def("_runs_library",
           [](const Package& package, const std::shared_ptr<Backend>& backend) {
             return package.runs_library(backend->name());
           })
      .def("_check_backend",
           [](const Package& package, const std::shared_ptr<Backend>& backend) {
             package.check_backend(backend->name());
           })
      .def("_compile_bound",
           [](const Package& package, const std::shared_ptr<Backend>& backend) {
             const InterpreterUnlocked free;
             return package.compile_bound(backend);
           })
      .def("_check", &Package::check);
}

}  // namespace mithril::python
