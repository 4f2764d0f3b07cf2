// The text of dims: each symbol has a unique name, and long definitions of quotients and products
// have their own lines.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mithril/infer/facts.hpp"

namespace mithril {

class DimWriter {
 public:
  // numbered: symbols lose their names and become _1, _2, ... as they appear.
  explicit DimWriter(bool numbered) : numbered_(numbered) {}

  // The declarations that a statement with these dims needs: "size n", "integer k", "size q =
  // n//2". A name seen for the first time in a shape makes a size and needs no declaration. Symbols
  // are created in the order of the text, so a parser gets the same order of terms.
  std::vector<std::string> declare(const std::vector<Dim>& shapes,
                                   const std::vector<Dim>& arguments);
  // A dim of that statement.
  std::string text(const Dim& dim);
  bool is_symbol(std::string_view name) const { return names_.contains(name); }

 private:
  struct Definition;
  enum class Form { name, definition, declared };
  using Visit = std::function<void(Symbol*)>;

  // `weight` counts the operands of a definition.
  struct Written {
    Form form;
    int weight;
  };
  Form form(Symbol* symbol);
  Written classified(const std::optional<Definition>& definition) const;
  // Symbols of a dim and of the definitions written inside it, in the order of the text.
  void visit(const Dim& dim, const Visit& visit);
  void visit_to_declare(const Dim& dim, const Visit& visit);
  void declare(Symbol* symbol);
  void enter(Symbol* symbol, const std::string& text);
  std::string definition_text(const Definition& definition);
  std::string operand(const Dim& dim);
  std::string new_name(const Symbol* symbol);

  bool numbered_;
  Facts facts_;       // symbols named by their text: a name, or "(n//2)"
  Renaming symbols_;  // from symbols of the graph to these
  std::unordered_map<Symbol*, Written> written_;
  std::set<std::string, std::less<>> names_;
  int nameless_ = 0;
  std::vector<std::string> declarations_;
};

}  // namespace mithril
