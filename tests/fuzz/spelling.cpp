// Spellings of ops: a parsed spelling is written and read back.
#include "mithril/op/spelling.hpp"

#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;
using Kind = SpelledExpression::Kind;

std::string written(const SpelledExpression& e);

std::string listed(const SpelledExpression& e) {
  std::string text;
  for (size_t i = 0; i < e.children.size(); ++i) {
    if (i > 0) text += ", ";
    if (i < e.keywords.size() && !e.keywords[i].empty()) text += e.keywords[i] + "=";
    text += written(e.children[i]);
  }
  return text;
}

std::string written(const SpelledExpression& e) {
  switch (e.kind) {
    case Kind::call:
      return e.text + "(" + listed(e) + ")";
    case Kind::list:
      return "[" + listed(e) + "]";
    case Kind::item:
      return written(e.children[0]) + "[" + std::to_string(e.number) + "]";
    case Kind::member:  // without the space the point would belong to the number
      return written(e.children[0]) + " ." + e.text;
    case Kind::port:
    case Kind::number:
      return e.text;
    case Kind::text:
      return '"' + e.text + '"';
    case Kind::flag:
      return e.number ? "True" : "False";
    case Kind::none:
      return "None";
    case Kind::equal:
      return written(e.children[0]) + " == " + written(e.children[1]);
    case Kind::choice:
      return written(e.children[0]) + " ? " + written(e.children[1]) + " : " +
             written(e.children[2]);
    case Kind::unsupported:
      return e.text.empty() ? "unsupported" : "unsupported: " + e.text;
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = fuzz::unless_refused([&] { return parse_spelling(fuzz::text_of(data, size)); });
  if (!read) return 0;
  const std::string text = written(*read);
  fuzz::require(written(parse_spelling(text)) == text, "a spelling reads back: " + text);
  return 0;
}
