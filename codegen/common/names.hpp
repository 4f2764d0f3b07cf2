// Names and texts of a model in C++. Any name of a user becomes a valid identifier, comment or
// string.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mithril::codegen {

// "encoder.fc1.output" becomes encoder_fc1_output. The result is not a keyword, a macro of the
// standard library or a reserved name. Two names may give the same identifier.
std::string identifier(std::string_view name);

// The same, for a prefix to which more is appended after an underscore: "class" does not change.
std::string prefix(std::string_view name);

// The text after "//": printable ASCII, anything else as \x0a, without a backslash at the end.
std::string comment(std::string_view text);

// Unique identifiers.
class Identifiers {
 public:
  Identifiers() = default;
  explicit Identifiers(std::set<std::string> taken) : taken_(std::move(taken)) {}

  // The identifier of a name, with a number appended if another name has it.
  std::string add(std::string_view name);

 private:
  std::set<std::string> taken_;
};

}  // namespace mithril::codegen
