// What a program can be written in.
#pragma once
#include <optional>
#include <string_view>

#include "codegen/common/formula_text.hpp"

namespace mithril::codegen {

struct Language {
  std::string_view name;  // "C++", in errors
  // None if the language has no expression for it.
  std::optional<FormulaText> (*formula)(const Formula& formula, const FormulaNode& node);
  bool (*has_kernel)(std::string_view op);
  bool numbers_are_doubles = false;  // so ints of 64 bits may need another type (wide_ints.hpp)
};

}  // namespace mithril::codegen
