// `mithril doctor`: what this machine has.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/base/cache_files.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/list_folder.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/thread_pool.hpp"
#include "mithril/base/version.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/text_table.hpp"

namespace mithril::cli {
namespace {

namespace fs = std::filesystem;

struct Finding {
  std::string what, found;
  std::string help = {};  // if it is missing
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("model name") && value != line.npos) return line.substr(value + 2);
  }
  return "unknown";
}

std::string memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  return pages < 0 ? "unknown"
                   : memory_text(static_cast<double>(pages) * static_cast<double>(bytes));
}

// Their choice fails if MITHRIL_INSTRUCTIONS is wrong, and if the kernels are for other processors.
Finding instructions() {
  std::vector<std::string> names;
  for (const auto each : cpu_backend::present_instructions()) names.emplace_back(name(each));
  const std::string present = names.empty() ? "none" : join(names, ", ");
  try {
    const auto best = cpu_backend::best_instructions();
    return {"instructions", fmt::format("{} (present: {})", name(best), present)};
  } catch (const Error& error) {
    const bool is_limit = error.code() == "E0435" || !names.empty();
    return {"instructions", fmt::format("none in use (present: {})", present),
            fmt::format("{}: {}", error.details().message,
                        is_limit ? "unset MITHRIL_INSTRUCTIONS" : error.details().help)};
  }
}

struct FolderSize {
  std::int64_t files = 0;
  std::uintmax_t bytes = 0;
  std::string unreadable = {};  // why some of it could not be counted
};

FolderSize size_of(const fs::path& folder) {
  FolderSize size;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code gone;  // since it was listed
    if (!at->is_regular_file(gone)) continue;
    const std::uintmax_t bytes = at->file_size(gone);
    if (gone) continue;
    size.bytes += bytes;
    ++size.files;
  }
  if (failed) size.unreadable = failed.message();
  return size;
}

Finding cache() {
  const std::string folder = CacheFiles::usual_folder();
  if (folder.empty()) {
    return {"cache", "none", "set HOME, XDG_CACHE_HOME or MITHRIL_CACHE_DIR to have one"};
  }
  struct stat about;
  if (stat(folder.c_str(), &about) != 0) {
    if (errno == ENOENT) return {"cache", folder + " (empty)"};
    return {"cache", fmt::format("{} ({})", folder, reason_of(errno)),
            "name a folder that you may write to in MITHRIL_CACHE_DIR"};
  }
  if (!S_ISDIR(about.st_mode))
    return {"cache", folder + " (not a folder)", fmt::format("remove it: rm '{}'", folder)};
  const FolderSize size = size_of(folder);
  const std::string text = fmt::format("{} ({}, {})", folder, counted(size.files, "file"),
                                       memory_text(static_cast<double>(size.bytes)));
  const std::string mend = fmt::format("chmod -R u+rwX '{}'", folder);
  if (!size.unreadable.empty())
    return {"cache", text, fmt::format("it cannot be read, {}: {}", size.unreadable, mend)};
  if (access(folder.c_str(), W_OK) != 0)
    return {"cache", text, "the folder is not writable: " + mend};
  return {"cache", text};
}

// The folders where this interpreter may have packages, without starting it.
std::vector<fs::path> package_folders(const std::string& python) {
  std::vector<fs::path> folders;
  const fs::path prefix = fs::path(python).parent_path().parent_path();
  for (const char* library : {"lib", "local/lib", "lib64"}) {
    for (const std::string& name : names_in_folder((prefix / library).string())) {
      if (!name.starts_with("python3")) continue;
      folders.push_back(prefix / library / name / "site-packages");
      folders.push_back(prefix / library / name / "dist-packages");
    }
  }
  return folders;
}

// The version of an installed package, from the name of its folder "torch-2.11.0.dist-info".
std::string version_of_package(const std::string& package, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    for (const std::string& name : names_in_folder(folder.string())) {
      if (!name.starts_with(package + "-") || !name.ends_with(".dist-info")) continue;
      return name.substr(package.size() + 1,
                         name.size() - package.size() - 1 - std::string(".dist-info").size());
    }
  }
  return "";
}

std::string graphics_processor() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  return std::getline(file, line) ? line : "";
}

std::string compiler() {
  if (const char* named = std::getenv("CXX"); named && *named) return named;
  for (const char* path : {"/usr/bin/c++", "/usr/local/bin/c++", "/usr/bin/clang++"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

std::vector<Finding> findings() {
  std::vector<Finding> found = {
      {"mithril", std::string(version())},
      {"processor", processor()},
      instructions(),
      {"threads", std::to_string(processor_count())},
      {"memory", memory()},
      cache(),
  };
  const auto add = [&](std::string what, std::string text, std::string help) {
    const bool is_there = !text.empty();
    found.push_back({std::move(what), is_there ? std::move(text) : "not found",
                     is_there ? "" : std::move(help)});
  };
  add("C++ compiler", compiler(), "`ml.export` with target=\"library\" needs one: install g++");
  const std::string python = python_path();
  add("Python", python, "`mithril package`, `serve` and `verify` need Python 3.10 or newer");
  const std::vector<fs::path> folders =
      python.empty() ? std::vector<fs::path>{} : package_folders(python);
  add("torch", version_of_package("torch", folders),
      "TorchBackend needs it: pip install torch==2.11.0");
  add("jax", version_of_package("jax", folders), "JaxBackend needs it: pip install jax");
  add("onnx", version_of_package("onnx", folders), "tools that check ONNX files: pip install onnx");
  add("onnxruntime", version_of_package("onnxruntime", folders),
      "to compare with ONNX Runtime: pip install onnxruntime");
  add("NVIDIA driver", graphics_processor(), "TorchBackend(\"cuda\") needs it");
  return found;
}

}  // namespace

int doctor(const Arguments&, Output& output) {
  const std::vector<Finding> found = findings();
  std::vector<TableRow> rows;
  Json::Array all;
  for (const Finding& finding : found) {
    rows.push_back({finding.what, finding.found, finding.help});
    all.push_back(
        Json::Object{{"what", finding.what},
                     {"found", finding.found == "not found" ? Json(nullptr) : Json(finding.found)},
                     {"help", finding.help}});
  }
  if (output.is_json()) {
    output.object("doctor", {{"findings", std::move(all)}});
  } else {
    output.text(table_text(rows));
  }
  return done;
}

}  // namespace mithril::cli
