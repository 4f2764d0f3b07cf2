#include "backends/cpu/elementwise/native/compiler.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/process.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril::cpu_backend {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_program(const std::string& path) {
  struct stat about;
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Searches the absolute folders of PATH. Skips relative ones, which depend on the current folder.
// Returns an empty path if there is no such program.
std::string found_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return name.starts_with('/') && is_program(name) ? name : "";
  }
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = folder + "/" + name;
    if (folder.starts_with('/') && is_program(path)) return path;
  }
  return "";
}

std::string identity_of(const std::vector<std::string>& command) {
  struct stat about = {};
  ::stat(command.front().c_str(), &about);
  std::string identity = fmt::format("{} bytes, {}.{:09}\n", about.st_size, about.st_mtim.tv_sec,
                                     about.st_mtim.tv_nsec);
  for (const std::string& word : command) identity += word + '\n';
  return identity;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The first line, at most 200 bytes, with spaces in place of control characters.
std::string first_line(const std::string& text) {
  std::string line = text.substr(0, std::min<size_t>(text.find('\n'), 200));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return line;
}

// A path to the descriptor that is unique in this process. The loader treats libraries of one name
// as the same library, and the numbers of closed descriptors are reused. Therefore the path encodes
// the count of libraries, a bit for each "/" (0) or "./" (1).
std::string unique_path(int descriptor) {
  static std::atomic<uint64_t> libraries{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t count = ++libraries; count > 0; count /= 2) path += count % 2 == 1 ? "./" : "/";
  return path + std::to_string(descriptor);
}

}  // namespace

std::optional<Compiler> find_compiler(std::string& why) {
  Compiler compiler;
  std::istringstream chosen(variable("CXX"));
  for (std::string word; chosen >> word;) compiler.command.push_back(word);
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  const bool is_chosen = !compiler.command.empty();
  if (is_chosen) names = {compiler.command.front()};
  std::string path;
  for (const std::string& name : names) {
    if (path.empty()) path = found_on_path(name);
  }
  if (path.empty()) {
    why = is_chosen ? fmt::format("CXX names '{}', which is not a program on the PATH",
                                  first_line(names.front()))
                    : "CXX is not set, and none of c++, g++ and clang++ is on the PATH";
    return std::nullopt;
  }
  if (!is_chosen) compiler.command.emplace_back();
  compiler.command.front() = path;
  compiler.identity = identity_of(compiler.command);
  return compiler;
}

std::vector<std::string> native_flags(Instructions instructions) {
  std::vector<std::string> flags = {"-std=c++17", "-O3", "-fPIC", "-shared", "-w",
                                    "-ffp-contract=off", "-fno-math-errno",
                                    // Lets the compiler evaluate comparisons and choices for all
                                    // elements.
                                    "-fno-trapping-math"};
  const auto add = [&](std::initializer_list<const char*> more) {
    flags.insert(flags.end(), more.begin(), more.end());
  };
  if (instructions != Instructions::portable) add({"-mavx2", "-mfma", "-mbmi2"});
  if (instructions >= Instructions::avx512) {
    add({"-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mprefer-vector-width=512"});
  }
  return flags;
}

Compiled compile_native(const Compiler& compiler, const std::vector<std::string>& flags,
                        const std::string& source, std::chrono::milliseconds limit) {
  const TemporaryFolder folder("mithril-loops-");
  const std::string source_path = folder.path("loops.cpp"), library_path = folder.path("loops.so");
  const std::string log = folder.path("log");
  if (!folder) return {"", fmt::format("no folder could be made at {}", folder.path())};
  const std::string failure = write_private_file(source_path, source);
  if (!failure.empty()) {
    return {"", fmt::format("{} could not be written: {}", source_path, failure)};
  }
  std::vector<std::string> arguments = compiler.command;
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  for (const std::string& last : {std::string("-o"), library_path, source_path})
    arguments.push_back(last);
  const std::string& program = compiler.command.front();
  const ProcessOptions options{.log = log, .temporary_folder = folder.path(), .limit = limit};
  switch (run_process(arguments, options)) {
    case ProcessEnd::not_started:
      return {"", program + " could not be started"};
    case ProcessEnd::timeout:
      return {"", fmt::format("{} took more than {} ms", program, limit.count())};
    case ProcessEnd::failure: {
      const std::string said = first_line(contents(log));
      return {"", program + (said.empty() ? " failed without a message" : " failed: " + said)};
    }
    case ProcessEnd::success:
      break;
  }
  std::string library = contents(library_path);
  if (library.empty()) return {"", program + " made no library"};
  return {std::move(library), ""};
}

std::shared_ptr<const NativeLibrary> NativeLibrary::open(std::string_view bytes, std::string& why) {
  Descriptor memory(::memfd_create("mithril_loops", MFD_CLOEXEC));
  if (!memory || !write_all(memory.get(), bytes)) {
    why = "there is no memory for a library";
    return nullptr;
  }
  void* const handle = ::dlopen(unique_path(memory.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* said = ::dlerror();
    why = fmt::format("the compiled library cannot be opened: {}", said ? said : "no reason given");
    return nullptr;
  }
  return std::shared_ptr<const NativeLibrary>(new NativeLibrary(handle));
}

NativeLibrary::~NativeLibrary() { ::dlclose(handle_); }

void* NativeLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace mithril::cpu_backend
