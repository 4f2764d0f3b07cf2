#include "codegen/common/code_line.hpp"

#include <algorithm>
#include <climits>
#include <string_view>

#include "codegen/common/names.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril::codegen {
namespace {

// The last space within `room` columns that is inside the fewest brackets and not too near to the
// beginning; npos: none.
size_t break_in(std::string_view text, size_t room) {
  constexpr size_t first = 16;
  size_t at = text.find(' ', std::min(first, text.size()));
  int depth = 0, least = INT_MAX;
  for (size_t i = 0; i <= room && i < text.size(); ++i) {
    if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos) --depth;
    if (text[i] != ' ' || i < first || depth > least) continue;
    at = i;
    least = depth;
  }
  return at;
}

}  // namespace

// A trailing comment moves before the code if the line is too long.
std::string code_line(size_t indent, std::string_view text) {
  constexpr size_t width = 100;
  std::string result, before(indent, ' ');
  if (text.starts_with("//")) return before.append(text).append("\n");
  const size_t note = text.find("  // ");
  if (indent + text.size() > width && note != std::string_view::npos) {
    result.append(before).append(text.substr(note + 2)).append("\n");
    text = text.substr(0, note);
  }
  while (before.size() + text.size() > width) {
    const size_t at = break_in(text, width - before.size());
    if (at == std::string_view::npos) break;
    result.append(before).append(text.substr(0, at)).append("\n");
    text.remove_prefix(at + 1);
    before.assign(indent + 4, ' ');
  }
  return result.append(before).append(text).append("\n");
}

std::string dims_comment(const Value& value, const Dims& dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Symbol* symbol = i < value.dims.size() ? resolve(value.dims[i]).symbol() : nullptr;
    if (!text.empty()) text += ", ";
    if (symbol && symbol->name()) text += comment(*symbol->name()) + "=";
    text += std::to_string(dims[i]);
  }
  return "[" + text + "]";
}

}  // namespace mithril::codegen
