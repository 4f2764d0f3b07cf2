// Writing packages.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/list_folder.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/new_folder.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/package/describe.hpp"
#include "mithril/package/files.hpp"
#include "mithril/package/metadata.hpp"
#include "mithril/package/paths.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/tensor_sections.hpp"
#include "mithril/serialization/write_zip.hpp"

namespace mithril {
namespace {

constexpr std::string_view zip_suffix = ".zip";

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Refuses to replace anything but a package and an empty folder.
void check_target(const std::string& path) {
  const std::string folder = path.ends_with('/') ? path : path + "/";
  const auto is_there = [&](const std::string& name) {
    try {
      MappedFile::open(folder + name);
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  if (names_in_folder(path).empty() || is_there(metadata_name)) return;
  raise({.kind = ErrorKind::input,
         .code = "E0863",
         .path = path,
         .message = "the folder is not a package, so it is not replaced",
         .help = "choose another path, or remove the folder"});
}

// Makes the files of a package in a new folder, and puts the folder or an archive of it in place.
class PackageWriter {
 public:
  explicit PackageWriter(std::string path) : path_(std::move(path)), folder_(path_) {
    if (!folder_.failure().empty()) cannot_write(path_, folder_.failure());
  }

  void add(const std::string& name, std::string_view bytes) {
    const std::string at = folder_.path() + "/" + name;
    std::string why = make_folder(at.substr(0, at.rfind('/')));
    if (why.empty()) why = write_file(at, bytes);
    if (!why.empty()) cannot_write(path_ + "/" + name, why);
    list(name);
  }

  void add_tensors(const TensorMap& tensors, const SafetensorsOptions& options) {
    const std::string at = folder_.path() + "/" + tensors_name;
    try {
      save_safetensors(at, tensors, options);
    } catch (const Error& error) {
      ErrorDetails details = error.details();
      const std::string& inside = folder_.path();
      if (details.path.starts_with(inside)) details.path.replace(0, inside.size(), path_);
      raise(std::move(details));
    }
    for (const std::string& name : names_in_folder(folder_.path())) {
      if (is_tensor_file(name)) list(name);
    }
  }

  void finish(PackageInfo& info) {
    std::sort(files_.begin(), files_.end(),
              [](const PackageFile& a, const PackageFile& b) { return a.name < b.name; });
    if (info.revision.empty()) info.revision = revision_of(files_);
    const std::string at = folder_.path() + "/" + metadata_name;
    const std::string why = write_file(at, metadata_text(info, files_));
    if (!why.empty()) cannot_write(path_ + "/" + metadata_name, why);
    const std::string failure = path_.ends_with(zip_suffix) ? pack() : folder_.take_place();
    if (!failure.empty()) cannot_write(path_, failure);
  }

 private:
  void list(const std::string& name) {
    const auto written = MappedFile::open(folder_.path() + "/" + name);
    files_.push_back({name, written->bytes().size(), sha256_of(written->bytes())});
  }

  std::string pack() const {
    std::vector<std::string> names = {metadata_name};
    for (const PackageFile& file : files_) names.push_back(file.name);
    std::vector<std::shared_ptr<MappedFile>> held;
    std::vector<ZipInput> entries;
    for (const std::string& name : names) {
      held.push_back(MappedFile::open(folder_.path() + "/" + name));
      entries.push_back({name, text_of_bytes(held.back()->bytes())});
    }
    return write_zip(path_, entries);
  }

  std::string path_;
  NewFolder folder_;
  std::vector<PackageFile> files_;
};

// "2026-11-25T03:31:02Z".
std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// "a/minilm.zip": "minilm".
std::string name_of_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  path = path.substr(path.rfind('/') + 1);
  if (path.ends_with(zip_suffix)) path.resize(path.size() - zip_suffix.size());
  return path;
}

[[noreturn]] void refuse_asset(const std::string& name, std::string expected) {
  raise({.kind = ErrorKind::input,
         .code = "E0861",
         .message = fmt::format("save_package: no asset can have the name '{}'", printable(name)),
         .facts = {{"expected", std::move(expected), ""}}});
}

struct NewFile {
  std::string name;
  const PackageAsset* asset;
};

// The assets and the files of backends by their names in the package.
std::vector<NewFile> new_files(const SavePackageOptions& options) {
  std::vector<NewFile> files;
  std::set<std::string> taken = {metadata_name, info_name, model_name};
  const auto add = [&](const std::string& name, const PackageAsset& asset) {
    if (!is_package_path(name) || is_tensor_file(name))
      refuse_asset(name, "a relative path without '.', '..', backslashes and colons");
    if (!taken.insert(name).second) refuse_asset(name, "a name that no other file has");
    files.push_back({name, &asset});
  };
  for (const PackageAsset& asset : options.assets) {
    if (asset.name.starts_with("backends/"))
      refuse_asset(asset.name, "a file for a backend to be listed with the backend");
    add(asset.name, asset);
  }
  for (const PackageBackend& backend : options.backends) {
    if (backend.name.find('/') != std::string::npos || !is_package_path(backend.name))
      refuse_asset(backend.name, "the name of a backend, such as cpu");
    const std::string folder = "backends/" + backend.name + "/";
    if (!backend.options.empty()) taken.insert(folder + "options.json");
    for (const PackageAsset& file : backend.files) add(folder + file.name, file);
  }
  return files;
}

void check_family(const std::string& family) {
  const auto& known = package_families;
  if (family.empty() || std::find(known.begin(), known.end(), family) != known.end()) return;
  unknown_name(ErrorKind::name, "E0626", "architecture family", family, "", known);
}

// Everything but the revision and what depends on the parameters.
PackageInfo info_of(const std::string& path, ModelPorts ports, const SavePackageOptions& options) {
  check_family(options.family);
  PackageInfo info{.name = options.name.empty() ? name_of_path(path) : options.name,
                   .revision = options.revision,
                   .created_at = time_text(),
                   .model_type = options.model_type.empty() ? "custom" : options.model_type,
                   .family = options.family,
                   .licence = options.licence,
                   .source = options.source,
                   .backends = std::move(ports.backends),
                   .inputs = std::move(ports.inputs),
                   .outputs = std::move(ports.outputs),
                   .sizes = options.sizes};
  if (options.backends.empty()) return info;
  info.backends.clear();
  for (const PackageBackend& backend : options.backends) info.backends.push_back(backend.name);
  return info;
}

void count_parameters(PackageInfo& info, const TensorMap& params) {
  std::int64_t elements = 0, bytes = 0;
  for (const auto& [key, tensor] : params) {
    elements += tensor.size();
    bytes += static_cast<std::int64_t>(tensor.bytes());
  }
  info.sizes.emplace("parameters", elements);
  info.sizes.emplace("parameter_bytes", bytes);
}

// A copy of the model that states the shapes.
Model with_shapes(const Model& model, const SavePackageOptions& options) {
  if (options.shapes.empty()) return model;
  Model copy = from_json(to_json(model));
  copy.set_shapes(options.shapes);
  return copy;
}

// Writes the package; `add_model` adds the files of the model.
template <typename AddModel>
void write_package(const std::string& path, PackageInfo& info, const SavePackageOptions& options,
                   const AddModel& add_model) {
  const std::vector<NewFile> files = new_files(options);
  for (const PackageBackend& backend : options.backends) {
    if (!backend.options.empty()) guarded_parse(backend.options);
  }
  check_target(path);
  PackageWriter writer(path);
  add_model(writer);
  writer.add(info_name, info_text(info));
  for (const NewFile& file : files) {
    if (file.asset->bytes) {
      writer.add(file.name, *file.asset->bytes);
    } else {
      writer.add(file.name, text_of_bytes(MappedFile::open(file.asset->path)->bytes()));
    }
  }
  for (const PackageBackend& backend : options.backends) {
    if (!backend.options.empty())
      writer.add("backends/" + backend.name + "/options.json", backend.options);
  }
  writer.finish(info);
}

}  // namespace

void save_package(const std::string& path, const Model& given, const TensorMap& params,
                  const SavePackageOptions& options) {
  const Model model = with_shapes(given, options);
  const std::string json = to_json(model) + "\n";
  const State none;
  const State& state = options.state ? *options.state : none;
  ModelPorts ports = describe_ports(model, params, state, options);
  TensorMap needed = params.share();
  for (const std::string& key : ports.spare_parameters) needed.erase(key);
  PackageInfo info = info_of(path, std::move(ports), options);
  count_parameters(info, needed);
  write_package(path, info, options, [&](PackageWriter& writer) {
    writer.add(model_name, json);
    LoadedTensors file{needed.share(), {{"format", "mithril"}}};
    if (!state.empty()) add_section(file, state_field, state_prefix, state);
    writer.add_tensors(file.tensors, {.metadata = std::move(file.metadata),
                                      .max_shard_bytes = options.max_shard_bytes});
  });
}

void save_native_package(const std::string& path, std::vector<PackagePort> inputs,
                         std::vector<PackagePort> outputs, const SavePackageOptions& options) {
  const auto has_files = [](const PackageBackend& backend) { return !backend.files.empty(); };
  if (!std::any_of(options.backends.begin(), options.backends.end(), has_files)) {
    raise({.kind = ErrorKind::input,
           .code = "E0865",
           .path = path,
           .message = "a package without a model needs native code of a backend",
           .help = "list it in the files of a backend"});
  }
  PackageInfo info = info_of(path, {std::move(inputs), std::move(outputs)}, options);
  write_package(path, info, options, [](PackageWriter&) {});
}

void copy_package(const std::string& from, const std::string& to) {
  const Package package = load_package(from, {.allow_native_code = true});
  check_target(to);
  PackageWriter writer(to);
  for (const PackageFile& file : package.files()) writer.add(file.name, package.file(file.name));
  PackageInfo info = package.info();
  writer.finish(info);
}

}  // namespace mithril
