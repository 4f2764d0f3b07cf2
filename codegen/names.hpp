// Names and texts of a model as C++ has them: whatever a user calls a port, what is written stays
// an identifier, a comment or a string.
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace mithril::codegen {

// "encoder.fc1.output" is encoder_fc1_output. No word of the language, no macro that the standard
// library may have, nothing reserved; two names may give the same identifier.
std::string identifier(std::string_view name);

// The same for what more is appended to with an underscore: "class" stays.
std::string prefix(std::string_view name);

// What stands after "//": printable ASCII, anything else as \x0a, and no backslash at the end.
std::string comment(std::string_view text);

// Identifiers that are told apart.
class Identifiers {
 public:
  Identifiers() = default;
  explicit Identifiers(std::set<std::string> taken) : taken_(std::move(taken)) {}

  // The identifier of a name, with a number after it where another has it.
  std::string add(std::string_view name);

 private:
  std::set<std::string> taken_;
};

}  // namespace mithril::codegen
