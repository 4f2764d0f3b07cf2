// The command `mithril`.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/warning.hpp"
#include "mithril/cli/near_files.hpp"
#include "mithril/cli/output.hpp"
#include "mithril/cli/parse.hpp"

namespace mithril::cli {
namespace {

// Messages go to standard error, results to standard output.
int fail(int status, const std::string& message, const std::string& help) {
  std::string text = "mithril: " + message + "\n";
  if (!help.empty()) text += "  help: " + help + "\n";
  std::fputs(text.c_str(), stderr);
  return status;
}

int status_of(const Error& error) {
  if (error.code() == "E1222") return wrong_usage;                                // --mask
  const bool is_of_machine = error.code() == "E1102" || error.code() == "E1236";  // memory, a port
  return is_of_machine ? missing : bad_file;
}

int run(const std::vector<std::string>& given) try {
  const ParsedCall call = parse(given);
  Output output(call.command && call.arguments.has("--json"));
  int status = done;
  if (call.command) {
    status = call.command->run(call.arguments, output);
  } else {
    output.text(call.text);
  }
  output.write();
  return status;
} catch (const UsageError& error) {
  return fail(wrong_usage, error.message, error.help);
} catch (const StatedError& error) {
  std::fprintf(stderr, "%s\n", error.text.c_str());
  return wrong_usage;
} catch (const MissingError& error) {
  return fail(missing, error.message, error.help);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  const std::string near = error.code() == "E0830" ? near_files(error.details().path) : "";
  if (!near.empty()) std::fprintf(stderr, "  help: %s\n", near.c_str());
  return status_of(error);
} catch (const std::bad_alloc&) {  // no layer below turns it into an Error
  std::fprintf(stderr, "%s\n", out_of_memory_error().what());
  return missing;
}

}  // namespace
}  // namespace mithril::cli

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of writing
  mithril::set_warning_handler(
      [](const std::string& text) { std::fprintf(stderr, "mithril: %s\n", text.c_str()); });
  return mithril::cli::run({arguments + 1, arguments + count});
}
