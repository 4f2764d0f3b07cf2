// Text for spellings that are written for a node, its axes and sizes being known.
#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril {

// "aten::slice(input, 0, 1)" of "aten::slice" and {"input", "0", "1"}.
inline std::string spell_call(std::string_view op, const std::vector<std::string>& arguments) {
  std::string text = std::string(op) + "(";
  for (const std::string& argument : arguments) {
    text += (&argument == arguments.data() ? "" : ", ") + argument;
  }
  return text + ")";
}

inline std::string spell_number(int64_t number) { return std::to_string(number); }

// With all its digits.
inline std::string spell_real(double number) {
  std::array<char, 32> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end.ptr};
}

inline std::string spell_reshape(const std::string& of, const Dims& dims) {
  return spell_call("aten::reshape", {of, to_string(dims)});
}

// The tensor of a port in the dtype of the output, for operators that need one dtype.
inline std::string spell_as_output(const std::string& port) {
  return port + ".dtype == output.dtype ? " + port + " : aten::to(" + port + ", output.dtype)";
}

// In float32 if the op has half precision: torch keeps statistics in float32 on some devices only.
inline std::string spell_wide(const std::string& tensor, const std::string& otherwise) {
  const std::string wide = spell_call("aten::_cast_Float", {tensor});
  return "output.dtype_name == \"float16\" ? " + wide + " : output.dtype_name == \"bfloat16\" ? " +
         wide + " : " + otherwise;
}
inline std::string spell_wide(const std::string& port) {
  return spell_wide(port, spell_as_output(port));
}

// The same of a port that may be left out.
inline std::string spell_optional_as_output(const std::string& port) {
  return port + " == None ? None : " + spell_as_output(port);
}

// The port "index" as a list of indices into `size` elements, counted from the start.
inline std::string spell_flat_index(int64_t size) {
  const std::string index = "aten::reshape(index, [-1])";
  return spell_call("aten::where", {spell_call("aten::lt", {index, "0"}),
                                    spell_call("aten::add", {index, spell_number(size)}), index});
}

}  // namespace mithril
