#include "mithril/cli/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"

namespace mithril::cli {
namespace {

// Lines of two columns.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, text_width(row.first));
  width = std::min<std::size_t>(width, 30);
  std::string text;
  for (const auto& [left, right] : rows) {
    if (text_width(left) > width) {
      text += fmt::format("  {}\n  {:{}}  {}\n", left, "", width, right);
    } else {
      text += fmt::format("  {:<{}}  {}\n", left, width, right);
    }
  }
  return text;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

// CLI11 finds the values of the options. It has no nearest names, so unknown ones are left over.
class Parser {
 public:
  explicit Parser(const Command& command) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Positional& positional : command.positionals) {
      add(positional.name, positional.name, Values{.many = positional.is_repeated})->required();
    }
    for (const CommandOption& option : command.options) add_option(option);
    for (const CommandOption& option : common_options()) add_option(option);
  }

  Arguments parse(std::vector<std::string> given) {
    check_names(given);
    std::reverse(given.begin(), given.end());  // as CLI11 wants them
    try {
      app_.parse(given);
    } catch (const CLI::ArgumentMismatch& error) {
      // "--dtype: 1 required TEXT missing"
      const std::string text = error.what();
      throw UsageError{text.substr(0, text.find(':')) + " takes one value, once", advice()};
    } catch (const CLI::RequiredError& error) {
      const std::string text = error.what();  // "FILE is required"
      throw UsageError{"missing argument " + text.substr(0, text.find(' ')), advice()};
    } catch (const CLI::ParseError& error) {
      throw UsageError{error.what(), advice()};
    }
    if (const std::vector<std::string> extras = app_.remaining(); !extras.empty()) {
      throw UsageError{fmt::format("unexpected argument '{}'", printable(extras.front())),
                       advice()};
    }
    Arguments arguments;
    for (const auto& [name, option] : options_) {
      if (option->count() > 0) arguments.add(name, option->results());
    }
    for (const CommandOption& option : command_.options) {
      if (!option.initial.empty() && !arguments.has(option.name))
        arguments.add(option.name, {option.initial});
    }
    check_choices(arguments, command_.options);
    return arguments;
  }

 private:
  std::string advice() const {
    return fmt::format("usage: mithril {} {}", command_.name, usage_of(command_));
  }

  struct Values {
    bool repeated = false;  // one at a time
    bool many = false;
  };
  CLI::Option* add(const std::string& name, const std::string& key, Values values) {
    const bool is_list = values.repeated || values.many;
    CLI::Option* option = is_list
                              ? app_.add_option(name, lists_[key])->allow_extra_args(values.many)
                              : app_.add_option(name, values_[key]);
    options_.emplace_back(key, option);
    return option;
  }

  void add_option(const CommandOption& option) {
    if (option.value.empty()) {
      options_.emplace_back(option.name, app_.add_flag(option.name));
    } else {
      if (!option.letter.empty()) letters_.push_back(option.letter);
      const std::string names = option.letter.empty() ? "" : option.letter + ",";
      add(names + option.name, option.name, {option.is_repeated, option.takes_many});
    }
  }

  // Options that do not exist. CLI11 takes them for positionals.
  void check_names(const std::vector<std::string>& given) const {
    std::vector<std::string> known = {"--help"};
    for (const auto& [name, option] : options_) {
      if (name.starts_with("--")) known.push_back(name);
    }
    known.insert(known.end(), letters_.begin(), letters_.end());
    for (const std::string& argument : given) {
      if (argument == "--") return;
      if (argument.size() < 2 || argument[0] != '-') continue;
      const std::string name = argument.substr(0, argument.find('='));
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const bool is_number = argument.find_first_not_of("-0123456789.e") == std::string::npos;
      if (is_number) continue;  // the value of an option
      const std::string guess = did_you_mean(name, known);
      throw UsageError{
          fmt::format("'{}' is not an option of `mithril {}`", printable(name), command_.name),
          guess.empty() ? advice() : guess};
    }
  }

  static void check_choices(const Arguments& arguments, const std::vector<CommandOption>& options) {
    for (const CommandOption& option : options) {
      if (option.choices.empty()) continue;
      for (const std::string& value : arguments.values(option.name)) {
        if (std::find(option.choices.begin(), option.choices.end(), value) !=
            option.choices.end()) {
          continue;
        }
        const std::string guess = did_you_mean(value, option.choices);
        throw UsageError{fmt::format("{} is '{}', expected one of {}", option.name,
                                     printable(value), join(option.choices, ", ")),
                         guess};
      }
    }
  }

  const Command& command_;
  CLI::App app_;
  // Where CLI11 puts the values. It takes one value for a string.
  std::map<std::string, std::string> values_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::vector<std::pair<std::string, CLI::Option*>> options_;
  std::vector<std::string> letters_;
};

}  // namespace

const std::vector<CommandOption>& common_options() {
  static const std::vector<CommandOption> options = {
      {.name = "--json", .help = "write one JSON object on standard output"}};
  return options;
}

std::string option_head(const CommandOption& option) {
  const std::string name = option.letter.empty() ? option.name : option.letter + ", " + option.name;
  return option.value.empty() ? name : name + " " + option.value;
}

std::string option_help(const CommandOption& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += fmt::format(": {}", join(option.choices, ", "));
  if (!option.initial.empty()) text += fmt::format(" (default: {})", option.initial);
  return text;
}

std::string usage_of(const Command& command) {
  std::string text = "[OPTIONS]";
  for (const Positional& positional : command.positionals) {
    text += " " + positional.name + (positional.is_repeated ? "..." : "");
  }
  return text;
}

std::string help_text() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& command : commands()) rows.emplace_back(command.name, command.summary);
  return "usage: mithril COMMAND ...\n\nCommands:\n" + columns(rows) + "\nOptions:\n" +
         columns({{"--help", "show this help, or after a command that of the command"},
                  {"--version", "show the version"}}) +
         "\nExit status: 0 done, 1 a check failed, 2 wrong usage, 3 a bad file, 4 something is "
         "missing on this machine.\n";
}

std::string help_text(const Command& command) {
  std::string text =
      fmt::format("usage: mithril {} {}\n\n{}\n", command.name, usage_of(command), command.summary);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Positional& positional : command.positionals) {
    rows.emplace_back(positional.name, positional.help);
  }
  if (!rows.empty()) text += "\nArguments:\n" + columns(rows);
  rows.clear();
  for (const CommandOption& option : command.options) {
    rows.emplace_back(option_head(option), option_help(option));
  }
  for (const CommandOption& option : common_options()) {
    rows.emplace_back(option_head(option), option_help(option));
  }
  rows.emplace_back("--help", "show this help");
  return text + "\nOptions:\n" + columns(rows);
}

ParsedCall parse(std::span<const std::string> given) {
  if (given.empty()) throw UsageError{"missing command", "mithril --help lists the commands"};
  const std::string& first = given.front();
  if (first == "--help" || first == "-h") return {.text = help_text()};
  if (first == "--version") return {.text = std::string(version()) + "\n"};
  const auto& all = commands();
  const auto command =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == first; });
  if (command == all.end()) {
    const std::string guess = did_you_mean(first, command_names());
    throw UsageError{fmt::format("there is no command '{}'", printable(first)),
                     guess.empty() ? "mithril --help lists the commands" : guess};
  }
  const std::vector<std::string> rest(given.begin() + 1, given.end());
  for (const std::string& argument : rest) {
    if (argument == "--") break;
    if (argument == "--help" || argument == "-h") return {.text = help_text(*command)};
  }
  ParsedCall call{.command = &*command, .arguments = Parser(*command).parse(rest)};
  call.arguments.add("arguments", rest);
  return call;
}

}  // namespace mithril::cli
