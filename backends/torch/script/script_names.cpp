#include "backends/torch/script/script_names.hpp"

#include <cctype>
#include <set>

namespace mithril::torch_backend {
namespace {

// The printer names local variables after attributes. So an attribute must not have the name of a
// keyword, or of a function that printed code calls (python_print.cpp of PyTorch).
const std::set<std::string>& reserved_names() {
  static const std::set<std::string> names = {
      // keywords of Python
      "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
      "else", "except", "False", "finally", "for", "from", "global", "if", "import", "in", "is",
      "lambda", "None", "nonlocal", "not", "or", "pass", "raise", "return", "True", "try", "while",
      "with", "yield",
      // names of the environment
      "CONSTANTS", "Dict", "List", "NoneType", "Optional", "Tensor", "Tuple", "__torch__",
      "annotate", "aten", "attribute", "bool", "complex", "dict", "float", "fork", "getattr",
      "hasattr", "inf", "infj", "int", "isinstance", "len", "list", "nan", "nanj", "number", "ops",
      "prim", "print", "range", "self", "str", "torch", "tuple", "unchecked_cast", "uninitialized",
      "unused",
      // attributes of each module
      "_c", "_modules", "forward", "training"};
  return names;
}

}  // namespace

std::string script_name(const std::string& name) {
  std::string text = name;
  for (char& letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code > 0x7f || (std::isalnum(code) == 0 && letter != '_')) letter = '_';
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text = "_" + text;
  if (reserved_names().contains(text)) text += "_";
  return text;
}

}  // namespace mithril::torch_backend
