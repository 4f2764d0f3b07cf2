#include "mithril/base/unknowns.hpp"

#include <cctype>
#include <string_view>

namespace mithril {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A question mark inside a word is somebody's text.
bool begins_unknown(const std::string& text, std::size_t at) {
  constexpr std::string_view before = " [(*+-/";
  return text[at] == '?' && at + 1 < text.size() && is_digit(text[at + 1]) &&
         (at == 0 || before.find(text[at - 1]) != before.npos);
}

}  // namespace

std::string UnknownNumbers::renumber(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!begins_unknown(text, at)) {
      result += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    const auto known = numbers_.try_emplace(text.substr(at, end - at), numbers_.size() + 1).first;
    result += "?" + std::to_string(known->second);
    at = end;
  }
  return result;
}

}  // namespace mithril
