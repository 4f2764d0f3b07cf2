#include "mithril/text/byte_tokens.hpp"

#include <charconv>
#include <cstdio>
#include <string>

namespace mithril {
namespace {

std::string name_of_byte(size_t byte) {
  std::array<char, 8> name{};
  std::snprintf(name.data(), name.size(), "<0x%02zX>", byte);
  return name.data();
}

}  // namespace

ByteTokens byte_tokens(const TokenIds& vocabulary) {
  ByteTokens tokens;
  for (size_t byte = 0; byte < tokens.size(); ++byte) {
    const auto token = vocabulary.find(name_of_byte(byte));
    if (token != vocabulary.end()) tokens[byte] = token->second;
  }
  return tokens;
}

bool append_byte_tokens(const ByteTokens& known, std::string_view bytes,
                        std::vector<int64_t>& tokens) {
  for (const char byte : bytes) {
    if (!known[static_cast<unsigned char>(byte)]) return false;
  }
  for (const char byte : bytes) tokens.push_back(*known[static_cast<unsigned char>(byte)]);
  return true;
}

std::optional<char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  unsigned char byte = 0;
  const char* const end = token.data() + 5;
  if (std::from_chars(token.data() + 3, end, byte, 16).ptr != end) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace mithril
