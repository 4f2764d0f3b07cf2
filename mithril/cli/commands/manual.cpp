// `mithril manual`: the manual page and docs/cli.md's reference, from the table of commands.
#include <fmt/format.h>

#include "mithril/base/printable.hpp"
#include "mithril/base/version.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/parse.hpp"
#include "mithril/cli/text_table.hpp"

namespace mithril::cli {
namespace {

constexpr std::pair<int, const char*> statuses[] = {
    {done, "done"},
    {check_failed,
     "a check failed: `diff` found a difference, `inspect --unsupported` a node, or `verify` a "
     "disagreement"},
    {wrong_usage, "wrong usage, such as sizes that the model does not take"},
    {bad_file, "a file is damaged, does not fit, or cannot be read or written"},
    {missing, "this machine lacks something, such as Python or memory"}};

std::string help_of(const CommandOption& option) {
  return option_help(option) + (option.is_repeated ? ". May be given several times" : "");
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
    text += fmt::format(".SS mithril {} {}\n{}\n", roff(command.name), roff(usage_of(command)),
                        roff(command.summary));
    for (const Positional& positional : command.positionals) {
      text += fmt::format(".TP\n.I {}\n{}\n", roff(positional.name), roff(positional.help));
    }
    for (const CommandOption& option : command.options) {
      text += fmt::format(".TP\n.B {}\n{}\n", roff(option_head(option)), roff(help_of(option)));
    }
  }
  text += ".SH OPTIONS\n";
  for (const CommandOption& option : common_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(option_head(option)), roff(option.help));
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : statuses) {
    text += fmt::format(".TP\n.B {}\n{}\n", status, roff(meaning));
  }
  return text;
}

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string markdown() {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("### mithril {}\n\n{}\n\n    mithril {} {}\n\n", command.name,
                        command.summary, command.name, usage_of(command));
    std::vector<TableRow> rows = {{"argument", "meaning"}};
    for (const Positional& positional : command.positionals) {
      rows.push_back({code(positional.name), positional.help});
    }
    for (const CommandOption& option : command.options) {
      rows.push_back({code(option_head(option)), help_of(option)});
    }
    if (rows.size() > 1) text += table_text(rows, TableFormat::markdown) + "\n";
  }
  std::vector<TableRow> rows = {{"status", "meaning"}};
  for (const auto& [status, meaning] : statuses) rows.push_back({std::to_string(status), meaning});
  return text + "### Exit status\n\n" + table_text(rows, TableFormat::markdown);
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
