#include "mithril/export/write.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "codegen/cpp/write_cpp.hpp"
#include "codegen/jax/write_jax.hpp"
#include "codegen/web/write_javascript.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril {
namespace {

struct ExportTarget {
  const char* name;
  std::vector<std::string_view> endings;  // of files
  bool writes_folders = false, takes_params = false, takes_data = false, takes_device = false;
  void (*write)(const CompiledModel&, const std::string& path, const WriteOptions&);
};

void write_cpp_file(const CompiledModel& compiled, const std::string& path,
                    const WriteOptions& options) {
  write_cpp(compiled.exported(options.data), path);
}

void write_jax_file(const CompiledModel& compiled, const std::string& path, const WriteOptions&) {
  write_jax(compiled.exported_with_open_sizes(), path);
}

void write_javascript_module(const CompiledModel& compiled, const std::string& path,
                             const WriteOptions& options) {
  write_javascript(compiled.exported(options.data), path,
                   options.device.empty() ? "cpu" : options.device);
}

void write_torchscript(const CompiledModel& compiled, const std::string& path,
                       const WriteOptions& options) {
  compiled.save_torchscript(path, options.params, options.data);
}

const std::vector<ExportTarget>& export_targets() {
  static const std::vector<ExportTarget> targets = {
      {.name = "cpp",
       .endings = {".cpp", ".cc", ".cxx"},
       .takes_data = true,
       .write = write_cpp_file},
      {.name = "jax", .endings = {".py"}, .write = write_jax_file},
      {.name = "javascript",
       .endings = {".mjs"},
       .writes_folders = true,
       .takes_data = true,
       .takes_device = true,
       .write = write_javascript_module},
      {.name = "torchscript",
       .endings = {".pt", ".pth"},
       .takes_params = true,
       .takes_data = true,
       .write = write_torchscript}};
  return targets;
}

bool has_ending(const ExportTarget& target, const std::string& path) {
  return std::any_of(target.endings.begin(), target.endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

// A folder has no ending of another target.
bool fits(const ExportTarget& target, const std::string& path) {
  if (has_ending(target, path)) return true;
  return target.writes_folders &&
         std::none_of(export_targets().begin(), export_targets().end(),
                      [&](const ExportTarget& other) { return has_ending(other, path); });
}

[[noreturn]] void refuse_ending(const std::string& message, const std::string& expected) {
  raise({.kind = ErrorKind::value,
         .code = "E0492",
         .message = message,
         .facts = {{"expected", expected}}});
}

// The path has not the ending of the target that the caller names.
[[noreturn]] void refuse_path(const ExportTarget& target, const std::string& path) {
  refuse_ending("the target " + in_quotes(target.name) + " does not write " + in_quotes(path),
                std::string(target.endings[0]) + (target.writes_folders ? ", a folder" : ""));
}

const ExportTarget& target_of(const std::string& path, const std::string& name) {
  std::vector<std::string> names;
  std::string endings;
  for (const ExportTarget& target : export_targets()) {
    if (name.empty() ? has_ending(target, path) : name == target.name) return target;
    names.emplace_back(target.name);
    endings += (endings.empty() ? "" : ", ") + std::string(target.endings.front());
  }
  if (name.empty())
    refuse_ending("the ending of " + in_quotes(path) + " names no language", endings);
  unknown_member(ErrorKind::name, "E0630", "write", "target", name, "", names);
}

void refuse_option(const ExportTarget& target, const char* option) {
  raise({.kind = ErrorKind::value,
         .code = "E0493",
         .message = "write: the target " + in_quotes(target.name) + " takes no " + option});
}

}  // namespace

void write(const CompiledModel& compiled, const std::string& path, const WriteOptions& options) {
  const ExportTarget& target = target_of(path, options.target);
  if (!fits(target, path)) refuse_path(target, path);
  if (!target.takes_params && !options.params.empty()) refuse_option(target, "params");
  if (!target.takes_data && !options.data.empty()) refuse_option(target, "data");
  if (!target.takes_device && !options.device.empty()) refuse_option(target, "device");
  target.write(compiled, path, options);
}

}  // namespace mithril
