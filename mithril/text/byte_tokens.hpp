// Tokens such as <0x0A>, which are bytes.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mithril/text/vocabulary.hpp"

namespace mithril {

using ByteTokens = std::array<std::optional<int64_t>, 256>;

ByteTokens byte_tokens(const TokenIds& vocabulary);
// False, and nothing is appended, if a byte has no token.
bool append_byte_tokens(const ByteTokens& known, std::string_view bytes,
                        std::vector<int64_t>& tokens);
std::optional<char> byte_of_token(std::string_view token);

}  // namespace mithril
