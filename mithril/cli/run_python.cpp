#include "mithril/cli/run_python.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "mithril/base/file_errors.hpp"
#include "mithril/cli/command.hpp"

namespace mithril::cli {
namespace {

// Runs the command, or says that this interpreter lacks the package.
constexpr const char* bootstrap = R"(
import sys
try:
    from mithril.__main__ import main
except ModuleNotFoundError as error:
    if error.name != "mithril":
        raise
    print(f"mithril: {sys.executable} has no package mithril\n"
          "  help: install mithril-cpp in it, or name another one in MITHRIL_PYTHON", file=sys.stderr)
    sys.exit(4)
sys.exit(main())
)";

bool is_program(const std::filesystem::path& path) { return access(path.c_str(), X_OK) == 0; }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string program_path(const std::string& name) {
  const std::string folders = variable("PATH");
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const auto candidate = std::filesystem::path(folders.substr(begin, end - begin)) / name;
    if (end > begin && is_program(candidate)) return candidate.string();
    begin = end + 1;
  }
  return "";
}

std::string python_path() {
  if (std::string named = variable("MITHRIL_PYTHON"); !named.empty()) return named;
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (const auto beside = self.parent_path() / "python3"; !failed && is_program(beside)) {
    return beside.string();
  }
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty()) {
    const auto inside = std::filesystem::path(environment) / "bin" / "python3";
    if (is_program(inside)) return inside.string();
  }
  return program_path("python3");
}

int run_python(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string python = python_path();
  const std::string advice =
      "install Python 3.10 or newer and mithril-cpp in it, or set MITHRIL_PYTHON";
  if (python.empty()) {
    throw MissingError{fmt::format("`mithril {}` needs Python, and none was found", name), advice};
  }
  std::vector<std::string> words = {python, "-c", bootstrap, name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // as the program that started this one had it
  execv(python.c_str(), pointers.data());
  throw MissingError{
      fmt::format("`mithril {}` could not start {}: {}", name, python, reason_of(errno)), advice};
}

}  // namespace mithril::cli
