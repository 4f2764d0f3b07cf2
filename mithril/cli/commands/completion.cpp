// `mithril completion`: completion for shells, from the table of commands.
#include <fmt/format.h>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/parse.hpp"

namespace mithril::cli {
namespace {

std::vector<CommandOption> all_options(const Command& command) {
  std::vector<CommandOption> options = command.options;
  options.insert(options.end(), common_options().begin(), common_options().end());
  options.push_back({.name = "--help", .help = "show the help"});
  return options;
}

std::string bash() {
  std::vector<std::string> names;
  std::string cases, values;
  for (const Command& command : commands()) {
    names.push_back(command.name);
    std::vector<std::string> options;
    for (const CommandOption& option : all_options(command)) {
      options.push_back(option.name);
      if (option.choices.empty()) continue;
      values += fmt::format("    '{} {}') words='{}' ;;\n", command.name, option.name,
                            join(option.choices, " "));
    }
    cases += fmt::format("    {}) words='{}' ;;\n", command.name, join(options, " "));
  }
  return fmt::format(R"(# Completion of mithril for bash: source it, or put it into
# ~/.local/share/bash-completion/completions/mithril.
_mithril() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
    return
  fi
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  if [ -z "$words" ] && [ "${{word#-}}" != "$word" ]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _mithril mithril
)",
                     join(names, " "), values, cases);
}

// In single quotes of a shell, with what _arguments treats specially escaped.
std::string zsh_text(const std::string& text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '\'') {
      made += "'\\''";
    } else if (letter == ':' || letter == '[' || letter == ']') {
      made += std::string("\\") + letter;
    } else {
      made += letter;
    }
  }
  return made;
}

std::string zsh() {
  std::string names, cases;
  for (const Command& command : commands()) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const CommandOption& option : all_options(command)) {
      const std::string repeated = option.is_repeated ? "*" : "";
      std::string value;
      if (!option.choices.empty()) {
        value = fmt::format(":{}:({})", zsh_text(option.value), join(option.choices, " "));
      } else if (option.completion == Completion::file) {
        value = fmt::format(":{}:_files", zsh_text(option.value));
      } else if (!option.value.empty()) {
        value = fmt::format(":{}:", zsh_text(option.value));
      }
      cases += fmt::format(" '{}{}[{}]{}'", repeated, option.name, zsh_text(option.help), value);
    }
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef mithril
# Completion of mithril for zsh: put it as _mithril into a folder of $fpath.
_mithril() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_mithril "$@"
)",
                     names, cases);
}

}  // namespace

int complete(const Arguments& arguments, Output& output) {
  const std::string& shell = arguments.value("SHELL");
  if (shell != "bash" && shell != "zsh") {
    throw UsageError{fmt::format("SHELL is '{}', expected bash or zsh", printable(shell))};
  }
  const std::string text = shell == "bash" ? bash() : zsh();
  if (output.is_json()) {
    output.object("completion", {{"shell", shell}, {"text", text}});
  } else {
    output.text(text);
  }
  return done;
}

}  // namespace mithril::cli
