// The C expressions with which records spell elementwise ops:
//   "{input} < 0 ? 0 : {input}"
// Names in braces are ports; T(x) converts to the type of the output. {port} == None tests a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mithril {

struct Formula {
  enum class Kind : uint8_t {
    port,         // text: its name
    number,       // number
    call,         // text: "exp"; children: arguments
    unary,        // text: "-", "!"
    binary,       // text: "+", "<=", "&&"; children: left, right
    is_none,      // text: the port, of "{port} == None"
    choice,       // children: condition, then, otherwise
    unsupported,  // a branch without an expression
  };
  Kind kind;
  std::string text = {};
  double number = 0;
  std::vector<Formula> children = {};
};

// ParseError E0730 with the place of the mistake, E0732 if it is nested too deep.
Formula parse_formula(std::string_view text);

}  // namespace mithril
