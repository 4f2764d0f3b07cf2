// Formulas of ops: a parsed formula is written with all parentheses, read back, and has the same
// meaning.
#include "mithril/op/formula.hpp"

#include <fmt/format.h>

#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;
using Kind = Formula::Kind;

// Writes parentheses only where precedence requires them, because they nest the text deeper.
std::string written(const Formula& f) {
  const auto inside = [](const Formula& child) {
    const bool whole =
        child.kind == Kind::binary || child.kind == Kind::is_none || child.kind == Kind::choice;
    return whole ? "(" + written(child) + ")" : written(child);
  };
  std::string text;
  switch (f.kind) {
    case Kind::port:
      return "{" + f.text + "}";
    case Kind::number:
      return fmt::format("{}", f.number);
    case Kind::call:
      for (const Formula& child : f.children) text += (text.empty() ? "" : ", ") + written(child);
      return f.text + "(" + text + ")";
    case Kind::unary:
      return f.text + " " + inside(f.children[0]);
    case Kind::binary:
      return inside(f.children[0]) + " " + f.text + " " + inside(f.children[1]);
    case Kind::is_none:
      return "{" + f.text + "} == None";
    case Kind::choice:
      return inside(f.children[0]) + " ? " + inside(f.children[1]) + " : " + inside(f.children[2]);
    case Kind::unsupported:
      return "unsupported";
  }
  return text;
}

bool same(const Formula& a, const Formula& b) {
  if (a.kind != b.kind || a.text != b.text || a.number != b.number ||
      a.children.size() != b.children.size())
    return false;
  for (size_t i = 0; i < a.children.size(); ++i) {
    if (!same(a.children[i], b.children[i])) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = fuzz::unless_refused([&] { return parse_formula(fuzz::text_of(data, size)); });
  if (!read) return 0;
  const std::string text = written(*read);
  const auto again = fuzz::unless_refused([&] { return parse_formula(text); });
  // The added parentheses may nest too deep.
  if (again) fuzz::require(same(*again, *read), "a formula reads back: " + text);
  return 0;
}
