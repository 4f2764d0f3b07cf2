// Sets of kinds as text.
#include "mithril/infer/kind.hpp"

namespace mithril {
namespace {

struct Name {
  Kinds kinds;
  const char* text;
};
// Wider sets first: the kinds that they cover are not listed separately.
constexpr Name names[] = {
    {kind::tensor, "tensor"},
    {kind::bool_tensor, "bool tensor"},
    {kind::int_tensor, "int tensor"},
    {kind::float_tensor, "float tensor"},
    {kind::bool_value, "bool"},
    {kind::int_value, "int"},
    {kind::float_value, "float"},
    {kind::string, "str"},
    {kind::tuple, "tuple"},
    {kind::dtype, "dtype"},
    {kind::slice, "slice"},
    {kind::ellipsis, "ellipsis"},
    {kind::none, "None"},
};

}  // namespace

std::string to_string_kinds(Kinds kinds) {
  if (kinds == kind::any) return "anything";
  if (kinds == kind::value) return "any value";
  std::string text;
  for (const Name& name : names) {
    if ((kinds & name.kinds) != name.kinds) continue;
    text += (text.empty() ? "" : " or ") + std::string(name.text);
    kinds = static_cast<Kinds>(kinds & ~name.kinds);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace mithril
