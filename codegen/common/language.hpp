// What a program can be written in.
#pragma once
#include <optional>
#include <string_view>

#include "codegen/common/formula_writer.hpp"
#include "codegen/common/snippet_library.hpp"

namespace mithril::codegen {

struct Language {
  std::string_view name;  // "C++", in errors
  // None if the language has no expression for it.
  std::optional<FormulaText> (*formula)(const Formula& formula, const FormulaNode& node);
  const SnippetLibrary& (*snippets)() = nullptr;  // its kernels; null: it has none
  bool numbers_are_doubles = false;   // so ints of 64 bits may need another type (wide_ints.hpp)
  bool (*has_type)(DType) = nullptr;  // null: it has types of all dtypes but half precision
  bool has_blocks = false;            // statements with nested statements: loops, choices
  size_t most_operands = 0;           // tensors that a loop reads and writes; 0: any number

  bool has_kernel(std::string_view op) const { return snippets && snippets().has_kernel(op); }
};

}  // namespace mithril::codegen
