#include "mithril/backend/plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse(const char* code, std::string message, std::string expected,
                         std::string got, std::string help) {
  raise({.kind = ErrorKind::backend,
         .code = code,
         .message = std::move(message),
         .facts = {{"expected", std::move(expected)}, {"got", std::move(got)}},
         .help = std::move(help)});
}

// The most similar name of a file in the folder.
std::string nearest_file(const std::filesystem::path& path) {
  std::error_code unreadable;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), unreadable))
    names.push_back(entry.path().filename().string());
  return std::filesystem::exists(path, unreadable) ? ""
                                                   : did_you_mean(path.filename().string(), names);
}

[[noreturn]] void refuse_opening(const std::string& path) {
  const char* why = dlerror();
  const std::string nearest = nearest_file(path);
  raise({.kind = ErrorKind::backend,
         .code = "E1006",
         .message = "the backend's library cannot be opened: " + path,
         .facts = {{"why", why ? why : "the system does not say"}},
         .help = nearest.empty()
                     ? "build it with -DMITHRIL_TORCH=ON against the torch that is installed"
                     : nearest});
}

[[noreturn]] void refuse_plugin(const std::string& path, const char* why) {
  raise({.kind = ErrorKind::backend,
         .code = "E1050",
         .message = "the library provides no backend: " + path,
         .facts = {{"why", why}},
         .help = "mithril/backend/plugin.hpp says what a plugin must provide"});
}

const BackendPlugin& open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) refuse_opening(path);
  using Entry = const BackendPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "mithril_backend"));
  if (!entry) refuse_opening(path);
  const BackendPlugin* plugin = entry();
  if (!plugin) refuse_plugin(path, "mithril_backend() returns null");
  return *plugin;
}

// Opens the library and checks that it fits.
const BackendPlugin& open_fitting(const std::string& path) {
  const BackendPlugin& plugin = open(path);
  if (plugin.version != plugin_version) {
    refuse("E1003", "the backend was built for another Mithril: " + path,
           "plugin version " + std::to_string(plugin_version), std::to_string(plugin.version),
           "build it again");
  }
  if (const char* there = plugin.misfit ? plugin.misfit() : nullptr) {
    const std::string needs = plugin.needs ? plugin.needs : "another library";
    refuse("E1004", "the backend was built for " + needs + ": " + path, needs, there,
           "build it again, against the one that is installed");
  }
  return plugin;
}

}  // namespace

std::shared_ptr<Backend> load_backend(const std::string& path, const Arguments& options) {
  const BackendPlugin& plugin = open_fitting(path);
  if (!plugin.make) refuse_plugin(path, "its `make` is null");
  std::shared_ptr<Backend> backend = plugin.make(options);
  if (!backend) refuse_plugin(path, "its `make` returns null");
  return backend;
}

std::shared_ptr<Communicator> load_communicator(const std::string& path, const Arguments& options) {
  const BackendPlugin& plugin = open_fitting(path);
  if (!plugin.make_communicator) refuse_plugin(path, "its `make_communicator` is null");
  std::shared_ptr<Communicator> communicator = plugin.make_communicator(options);
  if (!communicator) refuse_plugin(path, "its `make_communicator` returns null");
  return communicator;
}

std::string plugin_path(const std::string& name) {
  Dl_info info;
  MITHRIL_CHECK(dladdr(reinterpret_cast<const void*>(&load_backend), &info) != 0,
                "the library cannot find its own path");
  const std::filesystem::path here = std::filesystem::path(info.dli_fname).parent_path();
  return (here / ("lib" + name + ".so")).string();
}

}  // namespace mithril
