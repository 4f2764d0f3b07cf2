// `mithril doctor`: what this machine has.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "mithril/base/cache_files.hpp"
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
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  return pages < 0 ? "unknown"
                   : memory_text(static_cast<double>(pages) * static_cast<double>(bytes));
}

std::string instructions() {
  std::vector<std::string> names;
  for (const auto each : cpu_backend::present_instructions()) names.emplace_back(name(each));
  return fmt::format("{} (present: {})", name(cpu_backend::best_instructions()), join(names, ", "));
}

Finding cache() {
  const std::string folder = CacheFiles::usual_folder();
  if (folder.empty()) {
    return {"cache", "none", "set HOME, XDG_CACHE_HOME or MITHRIL_CACHE_DIR to have one"};
  }
  std::error_code failed;
  std::uintmax_t bytes = 0;
  std::int64_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (!entry.is_regular_file(failed)) continue;
    bytes += entry.file_size(failed);
    ++files;
  }
  if (!fs::exists(folder, failed)) return {"cache", folder + " (empty)"};
  const std::string text = fmt::format("{} ({}, {})", folder, counted(files, "file"),
                                       memory_text(static_cast<double>(bytes)));
  if (access(folder.c_str(), W_OK) != 0) return {"cache", text, "the folder is not writable"};
  return {"cache", text};
}

// The folders where this interpreter may have packages, without starting it.
std::vector<fs::path> package_folders(const std::string& python) {
  std::vector<fs::path> folders;
  std::error_code failed;
  const fs::path prefix = fs::path(python).parent_path().parent_path();
  for (const char* library : {"lib", "local/lib", "lib64"}) {
    for (const auto& entry : fs::directory_iterator(prefix / library, failed)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      folders.push_back(entry.path() / "site-packages");
      folders.push_back(entry.path() / "dist-packages");
    }
  }
  return folders;
}

// The version of an installed package, from the name of its folder "torch-2.11.0.dist-info".
std::string version_of_package(const std::string& package, const std::vector<fs::path>& folders) {
  std::error_code failed;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      const std::string name = entry.path().filename().string();
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
      {"instructions", instructions()},
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
