// Sizes of a graph as Python expressions of the shapes of arrays.
#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/common/names.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::codegen {

// Symbols are read from values that are written already: N = x.shape[0].
class JaxSizes {
 public:
  explicit JaxSizes(Identifiers& locals) : locals_(locals) {}

  // From now on the sizes of this value can be read.
  void know(const Value& value, const std::string& variable);
  // A dim as an expression: "3", "N", "N + 2". `?` for a size that follows from no value.
  std::string text(const Dim& dim);
  // The same as an operand of a product: "N", "(N + 2)".
  std::string operand(const Dim& dim);
  // The statements that define the symbols of the texts since the last call.
  std::vector<std::string> take_definitions();

 private:
  struct Place {
    std::string variable;
    size_t axis;
    int64_t factor, constant;  // the size is factor * symbol + constant
  };
  std::string symbol_text(Symbol* symbol);

  Identifiers& locals_;
  std::unordered_map<Symbol*, Place> places_;
  std::unordered_map<Symbol*, std::string> names_;
  std::set<Symbol*> open_;  // whose definitions are being written
  std::vector<std::string> definitions_;
};

}  // namespace mithril::codegen
