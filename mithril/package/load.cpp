// Loaded packages.
#include <algorithm>
#include <mutex>

#include "mithril/backend/backend.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/package/files.hpp"
#include "mithril/package/generated_library.hpp"
#include "mithril/package/metadata.hpp"
#include "mithril/package/paths.hpp"
#include "mithril/package/read_tensors.hpp"
#include "mithril/package/torchscript.hpp"

namespace mithril {

struct Package::Impl {
  PackageFiles files;
  PackageInfo info;
  std::vector<PackageFile> listed;
  bool allow_native_code = false;
  // Tensors that wait for their checksums (PackageChecks::lazy) are read on first use.
  mutable std::mutex mutex;
  mutable std::optional<PackageTensors> tensors;
  mutable bool tensors_checked = false;
  // Made when the package was loaded, for the first call of make_model().
  mutable std::optional<Model> first_model;

  void check_tensor_files() const {
    for (const PackageFile& file : listed) {
      if (is_tensor_file(file.name)) files.check_sum(file);
    }
  }
  // The bytes of native code, or of its data, that run.
  std::string verified_copy(std::string_view name) const {
    const auto file = std::find_if(listed.begin(), listed.end(),
                                   [&](const PackageFile& each) { return each.name == name; });
    MITHRIL_CHECK(file != listed.end(), "a file of a package is not listed");
    return files.verified_copy(*file);
  }
  const PackageTensors& all_tensors() const {
    const std::lock_guard lock(mutex);
    if (!tensors_checked) check_tensor_files();
    tensors_checked = true;
    return *tensors;
  }
};

namespace {

std::string in_backend(std::string_view backend, std::string_view name) {
  return "backends/" + std::string(backend) + "/" + std::string(name);
}

void check_backend_listed(const Package::Impl& package, std::string_view backend) {
  const std::vector<std::string>& known = package.info.backends;
  if (std::find(known.begin(), known.end(), backend) != known.end()) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1040",
         .path = package.files.where(info_name),
         .message = "the package does not list the backend " + in_quotes(printable(backend)),
         .facts = {{"listed", join(known, ", "), ""}},
         .help = did_you_mean(backend, known)});
}

[[noreturn]] void refuse_native(const std::string& where, const std::string& what) {
  raise({.kind = ErrorKind::backend,
         .code = "E1041",
         .path = where,
         .message = what,
         .help = "if you trust its author like the author of a program, load the package with "
                 "allow_native_code=True (mithril serve: --allow-native)"});
}

// The first file of native code; null: there is none.
const PackageFile* native_file_of(const Package::Impl& package) {
  const auto found = std::find_if(package.listed.begin(), package.listed.end(),
                                  [](const PackageFile& file) { return is_native(file.name); });
  return found == package.listed.end() ? nullptr : &*found;
}

const StoredBytes& needed(const PackageFiles& files, const char* name) {
  if (const StoredBytes* stored = files.find(name)) return *stored;
  refuse_package("E0764", files.where(name), "the file is missing");
}

PackageChecks checks_of(const LoadPackageOptions& options) {
  return options.checks.value_or(options.verify);
}

// Everything that is not a large file of tensors.
void read_package(Package::Impl& package, const LoadPackageOptions& options) {
  const PackageFiles& files = package.files;
  reading_file(files.where(metadata_name), [&] {
    package.listed = read_metadata(needed(files, metadata_name).text(), package.info);
  });
  files.check_listed(package.listed);
  for (const PackageFile& file : package.listed) {
    if (checks_of(options) == PackageChecks::full || !is_tensor_file(file.name))
      files.check_sum(file);
  }
  reading_file(files.where(info_name),
               [&] { read_info(needed(files, info_name).text(), package.info); });
  for (const PackageFile& file : package.listed) {
    if (!file.name.starts_with("backends/") || is_native(file.name)) continue;
    reading_file(files.where(file.name), [&] { guarded_parse(files.find(file.name)->text()); });
  }
  if (!options.backend.empty()) check_backend_listed(package, options.backend);
  const StoredBytes* model = files.find(model_name);
  if (model) {
    reading_file(files.where(model_name), [&] { package.first_model = from_json(model->text()); });
    package.tensors = read_tensors(files);
    return;
  }
  const PackageFile* native = native_file_of(package);
  if (!native) needed(files, model_name);
  if (!options.allow_native_code)
    refuse_native(files.where(native->name), "the package needs native code: it has no model.json");
  package.tensors.emplace();
}

// Runs an action whose errors may come from the file or from the caller: they name the file, too.
template <typename Action>
auto naming_package(const std::string& where, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    ErrorDetails details = error.unnumbered();
    details.facts.push_back({"package", where, ""});
    raise(std::move(details));
  }
}

std::vector<std::string> names_of_ports(const std::vector<PackagePort>& ports) {
  std::vector<std::string> names;
  for (const PackagePort& port : ports) names.push_back(port.name);
  std::sort(names.begin(), names.end());
  return names;
}

// Whether the model has all outputs that are stated. If it has not, compiling finds others.
bool has_outputs(const Model& model, const std::vector<PackagePort>& stated) {
  const std::vector<std::string> made = model.output_keys();
  return std::all_of(stated.begin(), stated.end(), [&](const PackagePort& port) {
    return std::find(made.begin(), made.end(), port.name) != made.end();
  });
}

void check_ports(const Package::Impl& package, const char* what,
                 const std::vector<PackagePort>& stated, std::vector<std::string> made) {
  std::sort(made.begin(), made.end());
  const std::vector<std::string> names = names_of_ports(stated);
  if (names == made) return;
  refuse_package("E0769", package.files.where(info_name),
                 std::string("the model has other ") + what + " than stated",
                 {{"stated", join(names, ", "), ""}, {"model", join(made, ", "), ""}});
}

}  // namespace

const std::string& Package::path() const { return impl_->files.path(); }
const PackageInfo& Package::info() const { return impl_->info; }
const std::vector<PackageFile>& Package::files() const { return impl_->listed; }
const TensorMap& Package::params() const { return impl_->all_tensors().params; }
const State& Package::state() const { return impl_->all_tensors().state; }

Model Package::make_model() const {
  const PackageFiles& files = impl_->files;
  const StoredBytes* stored = files.find(model_name);
  if (!stored) refuse_native(files.where(model_name), "the package has native code, but no model");
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->first_model) {
      Model first = *std::move(impl_->first_model);
      impl_->first_model.reset();
      return first;
    }
  }
  return reading_file(files.where(model_name), [&] { return from_json(stored->text()); });
}

std::vector<std::string> Package::assets() const {
  std::vector<std::string> names;
  for (const PackageFile& file : impl_->listed) {
    const bool is_asset = file.name != info_name && file.name != model_name &&
                          !is_tensor_file(file.name) && !file.name.starts_with("backends/");
    if (is_asset) names.push_back(file.name);
  }
  return names;
}

std::string_view Package::file(std::string_view name) const {
  if (is_tensor_file(name)) impl_->all_tensors();  // compares the checksums first
  if (const StoredBytes* stored = impl_->files.find(name)) return stored->text();
  std::vector<std::string> known;
  for (const PackageFile& file : impl_->listed) known.push_back(file.name);
  unknown_member(ErrorKind::name, "E0625", "the package", "file", name, path(), known);
}

std::string_view Package::backend_options(std::string_view backend) const {
  const StoredBytes* stored = impl_->files.find(in_backend(backend, "options.json"));
  return stored ? stored->text() : std::string_view();
}

std::string Package::native_file(std::string_view name) const {
  file(name);  // refuses unknown names
  if (!impl_->allow_native_code) refuse_native(impl_->files.where(name), "the file is native code");
  return impl_->files.where(name);
}

bool Package::runs_library(std::string_view backend) const {
  return backend == "cpu" && impl_->allow_native_code &&
         impl_->files.find(in_backend(backend, library_name));
}

void Package::verify() const {
  for (const PackageFile& file : impl_->listed) impl_->files.check_sum(file);
}

void Package::check_backend(std::string_view backend) const {
  check_backend_listed(*impl_, backend);
}

void Package::check(const CompiledModel& compiled) const {
  check_ports(*impl_, "inputs", impl_->info.inputs, compiled.data_keys());
  check_ports(*impl_, "outputs", impl_->info.outputs, compiled.output_keys());
  const TensorMap& tensors = params();
  reading_file(impl_->files.where(tensors_name), [&] { compiled.check_state_dict(tensors); });
}

CompiledModel Package::compile(std::shared_ptr<Backend> backend, CompileOptions options) const {
  const PackageFiles& files = impl_->files;
  if (backend) {
    check_backend(backend->name());
    if (runs_library(backend->name())) {
      const std::string library = in_backend(backend->name(), library_name);
      const std::string weights = in_backend(backend->name(), weights_name);
      if (!files.find(weights))
        refuse_package("E0764", files.where(weights), "the file is missing");
      const std::string code = impl_->verified_copy(library), data = impl_->verified_copy(weights);
      return compile_library(impl_->info, {code, data, files.where(library)}, std::move(backend));
    }
  }
  if (!files.find(model_name)) {
    const std::string where = native_file(torchscript_name);
    const std::string stored = impl_->verified_copy(torchscript_name);
    return compile_torchscript(impl_->info, stored, where, std::move(backend));
  }
  options.inference = true;
  const Model packaged = make_model();
  for (const PackagePort& port : impl_->info.inputs) {
    reading_file(files.where(info_name), [&] { packaged.at(port.name); });
    options.data_keys.emplace_back(port.name);
  }
  // Their sizes need not follow from the shapes of inputs.
  for (const auto& [key, tensor] : state()) {
    if (!packaged.composite()->find_wire(key)) continue;  // an error later
    const Dims& dims = tensor.dims();
    options.shapes.emplace_back(key, ShapeSpec(std::vector<DimSpec>(dims.begin(), dims.end())));
  }
  if (options.outputs.empty() && has_outputs(packaged, impl_->info.outputs)) {
    for (const PackagePort& port : impl_->info.outputs) options.outputs.emplace_back(port.name);
  }
  CompiledModel compiled = naming_package(files.where(model_name), [&] {
    return mithril::compile(packaged, std::move(backend), std::move(options));
  });
  check(compiled);
  return compiled;
}

CompiledModel Package::compile_bound(std::shared_ptr<Backend> backend,
                                     CompileOptions options) const {
  if (backend && runs_library(backend->name())) return compile(std::move(backend));
  return compile(std::move(backend), std::move(options)).bind(params(), state());
}

Package load_package(const std::string& path, const LoadPackageOptions& options) {
  auto package = std::make_shared<Package::Impl>();
  package->files = PackageFiles::open(path);
  package->allow_native_code = options.allow_native_code;
  package->tensors_checked = checks_of(options) == PackageChecks::full;
  read_package(*package, options);
  return Package(std::move(package));
}

}  // namespace mithril
