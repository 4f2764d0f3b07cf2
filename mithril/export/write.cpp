#include "mithril/export/write.hpp"

#include <algorithm>
#include <array>
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
  std::vector<std::string_view> endings;
  bool takes_params, takes_data;
  void (*write)(const CompiledModel&, const std::string& path, const WriteOptions&);
};

const std::array<ExportTarget, 4>& export_targets() {
  static const std::array<ExportTarget, 4> targets{{
      {"cpp",
       {".cpp", ".cc", ".cxx"},
       false,
       true,
       [](const CompiledModel& compiled, const std::string& path, const WriteOptions& options) {
         write_cpp(compiled.exported(options.data), path);
       }},
      {"jax",
       {".py"},
       false,
       false,
       [](const CompiledModel& compiled, const std::string& path, const WriteOptions&) {
         write_jax(compiled.exported_with_open_sizes(), path);
       }},
      {"javascript",
       {".mjs"},
       false,
       true,
       [](const CompiledModel& compiled, const std::string& path, const WriteOptions& options) {
         write_javascript(compiled.exported(options.data), path);
       }},
      {"torchscript",
       {".pt", ".pth"},
       true,
       true,
       [](const CompiledModel& compiled, const std::string& path, const WriteOptions& options) {
         compiled.save_torchscript(path, options.params, options.data);
       }},
  }};
  return targets;
}

bool ends_like(const ExportTarget& target, const std::string& path) {
  return std::any_of(target.endings.begin(), target.endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

[[noreturn]] void refuse_ending(const std::string& path, const std::string& expected) {
  raise({.kind = ErrorKind::value,
         .code = "E0492",
         .message = "the ending of " + mithril::quoted(path) + " names no language",
         .facts = {{"expected", expected}}});
}

const ExportTarget& target_of(const std::string& path, const std::string& name) {
  std::vector<std::string> names;
  std::string endings;
  for (const ExportTarget& target : export_targets()) {
    if (name.empty() ? ends_like(target, path) : name == target.name) return target;
    names.emplace_back(target.name);
    endings += (endings.empty() ? "" : ", ") + std::string(target.endings.front());
  }
  if (name.empty()) refuse_ending(path, endings);
  unknown_name(ErrorKind::name, "E0630", "target of write", name, "", names);
}

void refuse_option(const ExportTarget& target, const char* option) {
  raise({.kind = ErrorKind::value,
         .code = "E0493",
         .message = "write: the target " + mithril::quoted(target.name) + " takes no " + option});
}

}  // namespace

void write(const CompiledModel& compiled, const std::string& path, const WriteOptions& options) {
  const ExportTarget& target = target_of(path, options.target);
  const bool is_folder = std::string_view(target.name) == "javascript" && !options.target.empty();
  if (!is_folder && !ends_like(target, path)) refuse_ending(path, std::string(target.endings[0]));
  if (!target.takes_params && !options.params.empty()) refuse_option(target, "params");
  if (!target.takes_data && !options.data.empty()) refuse_option(target, "data");
  target.write(compiled, path, options);
}

}  // namespace mithril
