#include "mithril/cli/cpp_compiler.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "mithril/base/printable.hpp"
#include "mithril/base/process.hpp"
#include "mithril/cli/command.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/cli/run_python.hpp"

namespace mithril::cli {
namespace {

constexpr std::chrono::minutes longest_compilation{30};

}  // namespace

CppCompiler::CppCompiler(const std::string& command, const char* variable,
                         const std::string& fallback, const std::string& advice)
    : advice_(fmt::format("{}, or name one in {}", advice, variable)) {
  const char* named = std::getenv(variable);
  std::istringstream text(named ? named : "");
  words_ = {std::istream_iterator<std::string>(text), {}};
  if (words_.empty()) words_ = {fallback};
  const std::string name = words_.front();
  if (name.find('/') == std::string::npos) words_.front() = program_path(name);
  if (!words_.front().empty()) return;
  throw MissingError{fmt::format("`{}` needs a compiler, and found no '{}'", command, name),
                     advice_};
}

void CppCompiler::run(const std::vector<std::string>& arguments,
                      const TemporaryFolder& folder) const {
  std::vector<std::string> command = words_;
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string log = folder.path("log");
  const ProcessEnd end = run_process(
      command, {.log = log, .temporary_folder = folder.path(), .limit = longest_compilation});
  if (end == ProcessEnd::success) return;
  throw MissingError{
      fmt::format("the compiler {} failed: {}", words_.front(), printable(text_if_any(log))),
      advice_};
}

}  // namespace mithril::cli
