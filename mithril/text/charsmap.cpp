#include "mithril/text/charsmap.hpp"

#include <array>
#include <utility>

#include "mithril/text/unicode.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

std::optional<std::string> bytes_of_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char each : text) {
    const size_t digit = digits.find(each);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

uint32_t little_endian(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i)
    number |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return number;
}

// The unit of a double array that the node has for its children.
size_t offset_of_unit(uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

}  // namespace

std::optional<Charsmap> Charsmap::read(std::string_view base64) {
  const std::optional<std::string> bytes = bytes_of_base64(base64);
  if (!bytes || bytes->size() < 4) return std::nullopt;
  std::string_view rest = *bytes;
  const size_t size = little_endian(rest);
  rest.remove_prefix(4);
  if (size > rest.size() || size % 4 != 0 || size == 0) return std::nullopt;
  Charsmap map;
  for (size_t at = 0; at < size; at += 4) map.trie_.push_back(little_endian(rest.substr(at)));
  map.texts_ = std::string(rest.substr(size));
  return map;
}

std::optional<std::string_view> Charsmap::replacement(std::string_view key) const {
  size_t node = offset_of_unit(trie_[0]);
  for (const char each : key) {
    const auto byte = static_cast<unsigned char>(each);
    node ^= byte;
    if (byte == 0 || node >= trie_.size()) return std::nullopt;
    const uint32_t unit = trie_[node];
    constexpr uint32_t label = 1u << 31 | 0xff;
    if ((unit & label) != byte) return std::nullopt;
    node ^= offset_of_unit(unit);
    const bool has_value = (unit >> 8 & 1) == 1;
    if (!has_value) continue;
    if (node >= trie_.size()) return std::nullopt;
    const size_t at = trie_[node] & ~(1u << 31);
    if (at > texts_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(texts_).substr(at);
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

std::string Charsmap::normal(std::string_view text) const {
  constexpr size_t short_cluster = 6;  // in bytes
  std::string made;
  while (!text.empty()) {
    std::string_view cluster = text.substr(0, first_cluster_bytes(text));
    text.remove_prefix(cluster.size());
    if (cluster.size() < short_cluster) {
      if (const auto whole = replacement(cluster)) {
        made += *whole;
        continue;
      }
    }
    while (!cluster.empty()) {
      const std::string_view character = cluster.substr(0, character_bytes(cluster[0]));
      cluster.remove_prefix(character.size());
      made += replacement(character).value_or(character);
    }
  }
  return valid_utf8(made);  // damaged maps may cut characters
}

}  // namespace mithril
