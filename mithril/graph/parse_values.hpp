// Parses dims and values in the text of a graph.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "mithril/graph/text_lexer.hpp"
#include "mithril/infer/facts.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

class ValueParser {
 public:
  ValueParser(Lexer& lexer, Facts& facts) : lexer_(lexer), facts_(facts) {}

  DType dtype();
  Dim dim();  // of a shape or a declaration: a name seen for the first time makes a size
  Datum datum();
  Tensor tensor(DType dtype, const Dims& dims);
  // "size n" or "size n = ...", after the first word.
  void declaration(bool size);
  std::string name();  // plain or in backticks
  bool is_symbol(std::string_view name) const { return symbols_.contains(name); }
  std::vector<std::string> symbol_names() const;

 private:
  Dim sum(std::optional<Dim> first = {});
  Dim product(std::optional<Dim> first);
  Dim factor();
  Dim number();
  Dim symbol();
  std::string number_text();
  Datum parenthesised();
  Datum slice();
  template <class T>
  Tensor elements(const Dims& dims);
  template <class T>
  T read(const Token& token, const std::string& text, const std::string& expected);

  Lexer& lexer_;
  Facts& facts_;
  std::map<std::string, Dim, std::less<>> symbols_;
  bool may_make_symbols_ = false;
  int depth_ = 0;
  struct Deeper;
};

}  // namespace mithril
