#include "codegen/cpp/cpp_language.hpp"

#include "codegen/common/formula_text.hpp"
#include "codegen/cpp/snippets.hpp"

namespace mithril::codegen {

const Language& cpp_language() {
  static const Language language{
      .name = "C++", .formula = formula_text, .snippets = cpp_snippets, .has_blocks = true};
  return language;
}

}  // namespace mithril::codegen
