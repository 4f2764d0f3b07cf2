#include "codegen/cpp/cpp_language.hpp"

#include "codegen/cpp/snippets.hpp"

namespace mithril::codegen {

const Language& cpp_language() {
  static const Language language{
      .name = "C++", .formula = formula_text, .has_kernel = [](std::string_view op) {
        return find_snippet(op) != nullptr;
      }};
  return language;
}

}  // namespace mithril::codegen
