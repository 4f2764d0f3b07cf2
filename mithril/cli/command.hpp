// The commands of `mithril` as a table. The parser, the completion scripts, the manual page and
// docs/cli.md are generated from it.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::cli {

// The exit status of a command.
enum ExitStatus : int {
  done = 0,
  check_failed = 1,  // diff found a difference, inspect --unsupported a node, verify a disagreement
  wrong_usage = 2,
  bad_file = 3,  // a file is damaged, does not fit, or cannot be read or written
  missing = 4,   // this machine lacks something: Python, a compiler, memory, a free port
};

// What a shell completes an argument with.
enum class Completion { none, file };

struct CommandOption {
  std::string name;        // "--input"
  std::string value = {};  // "KEY=FILE"; empty: a flag
  std::string help = {};   // one line
  bool is_repeated = false;
  std::vector<std::string> choices = {};  // empty: any value
  std::string initial = {};               // the default in the help
  Completion completion = Completion::none;
  std::string letter = {};  // another name: "-o"
  bool takes_many = false;  // values after it, up to the next option: "--backends reference cpu"
};

struct Positional {
  std::string name;  // "FILE"
  std::string help = {};
  bool is_repeated = false;  // one or more
};

// The parsed arguments. Keys are the names of positionals (FILE) and of options (--input).
// "arguments" are all words after the name of the command, for commands that Python runs.
class Arguments {
 public:
  void add(const std::string& name, std::vector<std::string> values);

  bool has(std::string_view name) const { return values_.contains(name); }
  // The value of an option or a positional. InternalError if it has none.
  const std::string& value(std::string_view name) const;
  std::string value_or(std::string_view name, std::string_view fallback) const;
  std::vector<std::string> values(std::string_view name) const;
  // The value as a whole number. UsageError if it is not one, less than `least` or above `most`.
  std::optional<long> number(std::string_view name, long least,
                             long most = std::numeric_limits<long>::max()) const;
  // The value as a number. UsageError if it is not one, less than `least` or above `most`.
  std::optional<double> real(std::string_view name, double least,
                             double most = std::numeric_limits<double>::infinity()) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

class Output;

struct Command {
  std::string name;     // "inspect"
  std::string summary;  // one line: "Show what a file contains."
  std::vector<Positional> positionals = {};
  std::vector<CommandOption> options = {};
  // Returns the exit status. Raises errors of Mithril, UsageError and MissingError.
  int (*run)(const Arguments& arguments, Output& output) = nullptr;
};

// All commands, in the order of the help.
const std::vector<Command>& commands();

// A wrong call: exit status 2.
struct UsageError {
  std::string message;
  std::string help = {};
};

// An error of Mithril about what the call states, such as the sizes of --shape: exit status 2.
struct StatedError {
  std::string text;  // Error::what()
};

// This machine lacks something: exit status 4.
struct MissingError {
  std::string message;
  std::string help = {};
};

}  // namespace mithril::cli
