// Parses the command line.
#pragma once

#include <span>
#include <string>

#include "mithril/cli/command.hpp"

namespace mithril::cli {

// A command and its arguments. Without a command, the text to print: the help or the version.
struct ParsedCall {
  const Command* command = nullptr;
  Arguments arguments = {};
  std::string text = {};
};

// `given` has the arguments without the name of the program. UsageError for an unknown command,
// option or choice, with the nearest names, and for missing or unexpected arguments.
ParsedCall parse(std::span<const std::string> given);

// What `mithril --help` and `mithril COMMAND --help` print.
std::string help_text();
std::string help_text(const Command& command);

// "[OPTIONS] FILE": how the command is called.
std::string usage_of(const Command& command);

// "--input KEY=FILE", and what it means with its choices and its default.
std::string option_head(const CommandOption& option);
std::string option_help(const CommandOption& option);

// The options of each command.
const std::vector<CommandOption>& common_options();

}  // namespace mithril::cli
