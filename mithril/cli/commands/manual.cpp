// `mithril manual`: the manual page and docs/cli.md's reference, from the table of commands.
#include <fmt/format.h>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/parse.hpp"

namespace mithril::cli {
namespace {

constexpr std::pair<int, const char*> statuses[] = {
    {done, "done"},
    {check_failed, "a check failed: `diff` found a difference"},
    {wrong_usage, "wrong usage"},
    {bad_file, "a file is damaged, or cannot be read or written"},
    {missing, "this machine lacks something, such as Python"}};

std::string head_of(const CommandOption& option) {
  return option.value.empty() ? option.name : option.name + " " + option.value;
}

std::string help_of(const CommandOption& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += ": " + join(option.choices, ", ");
  if (!option.initial.empty()) text += fmt::format(" (default: {})", option.initial);
  if (option.is_repeated) text += ". May be given several times";
  return text;
}

// In roff a leading dot or quote begins a request, and a hyphen may be broken.
std::string roff(const std::string& text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '\\') {
      made += "\\e";
    } else if (letter == '-') {
      made += "\\-";
    } else if (letter != '`') {
      made += letter;
    }
  }
  return made.starts_with('.') || made.starts_with('\'') ? "\\&" + made : made;
}

std::string man_page() {
  std::string text = fmt::format(
      ".TH MITHRIL 1 \"\" \"mithril {}\"\n.SH NAME\nmithril \\- inspect, run, time, compare and "
      "convert models\n.SH SYNOPSIS\n.B mithril\n.I COMMAND\n[\\fIOPTIONS\\fR] "
      "...\n.SH COMMANDS\n",
      version());
  for (const Command& command : commands()) {
    text += fmt::format(".SS mithril {} {}\n{}\n", roff(command.name),
                        command.is_python ? "..." : roff(usage_of(command)), roff(command.summary));
    for (const Positional& positional : command.positionals) {
      text += fmt::format(".TP\n.I {}\n{}\n", roff(positional.name), roff(positional.help));
    }
    for (const CommandOption& option : command.options) {
      text += fmt::format(".TP\n.B {}\n{}\n", roff(head_of(option)), roff(help_of(option)));
    }
  }
  text += ".SH OPTIONS\n";
  for (const CommandOption& option : common_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(head_of(option)), roff(option.help));
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : statuses) {
    text += fmt::format(".TP\n.B {}\n{}\n", status, roff(meaning));
  }
  return text;
}

std::string cell(const std::string& text) {
  std::string made;
  for (const char letter : text) made += letter == '|' ? "\\|" : std::string(1, letter);
  return made;
}

std::string markdown() {
  std::string text;
  for (const Command& command : commands()) {
    text +=
        fmt::format("### mithril {}\n\n{}\n\n    mithril {} {}\n\n", command.name, command.summary,
                    command.name, command.is_python ? "..." : usage_of(command));
    if (command.is_python) continue;
    std::string rows;
    for (const Positional& positional : command.positionals) {
      rows += fmt::format("| `{}` | {} |\n", positional.name, cell(positional.help));
    }
    for (const CommandOption& option : command.options) {
      rows += fmt::format("| `{}` | {} |\n", head_of(option), cell(help_of(option)));
    }
    if (!rows.empty()) text += "| argument | meaning |\n| --- | --- |\n" + rows + "\n";
  }
  text += "### Exit status\n\n| status | meaning |\n| --- | --- |\n";
  for (const auto& [status, meaning] : statuses) {
    text += fmt::format("| {} | {} |\n", status, meaning);
  }
  return text;
}

}  // namespace

int manual(const Arguments& arguments, Output& output) {
  const std::string& format = arguments.value("FORMAT");
  if (format != "man" && format != "markdown") {
    throw UsageError{fmt::format("FORMAT is '{}', expected man or markdown", printable(format))};
  }
  const std::string text = format == "man" ? man_page() : markdown();
  if (output.is_json()) {
    output.object("manual", {{"format", format}, {"text", text}});
  } else {
    output.text(text);
  }
  return done;
}

}  // namespace mithril::cli
