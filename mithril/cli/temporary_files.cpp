#include "mithril/cli/temporary_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/command.hpp"

namespace mithril::cli {
namespace {

std::string why_of(const ErrorDetails& details) {
  const auto& facts = details.facts;
  const auto why = std::find_if(facts.begin(), facts.end(),
                                [](const Fact& fact) { return fact.label == "why"; });
  return why == facts.end() ? details.message : why->text;
}

}  // namespace

void check_made(const TemporaryFolder& folder) {
  if (!folder) throw MissingError{"no temporary folder could be made", "set TMPDIR"};
}

void write_temporary(const TemporaryFolder& folder, const std::string& asked,
                     const std::function<void()>& work) try {
  work();
} catch (const Error& error) {
  if (error.code() != "E0831" && error.code() != "E1030") throw;  // of files, and of generated ones
  const std::string place = folder.path().substr(0, folder.path().rfind('/'));
  const std::string why = why_of(error.details());
  raise({.kind = ErrorKind::input,
         .code = "E0831",
         .path = asked.empty() ? place : asked,
         .message = "the file cannot be written",
         .facts = {{"why", asked.empty() ? why : fmt::format("{} in {}", why, place)}},
         .help = "set TMPDIR to a folder for temporary files with more room"});
}

void write_temporary(const TemporaryFolder& folder, const std::string& asked,
                     const std::string& path, const std::string& text) {
  write_temporary(folder, asked, [&] {
    if (const std::string why = write_file(path, text); !why.empty()) cannot_write(path, why);
  });
}

}  // namespace mithril::cli
