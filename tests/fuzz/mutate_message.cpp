#include "tests/fuzz/mutate_message.hpp"

#include <algorithm>
#include <array>

namespace mithril::fuzz {
namespace {

enum class WireType : std::uint8_t { number, eight_bytes, bytes, begin, end, four_bytes };

// A field with its key: `whole` is `key` and what follows, `content` the bytes behind a length.
struct Field {
  std::string_view whole, key, content;
  WireType type = WireType::number;
};

// The number at the front, which is removed; nothing if there is none.
std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < std::min<std::size_t>(bytes.size(), 10); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return number;
    }
  }
  return std::nullopt;
}

std::string number_bytes(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7F) | 0x80);
  return bytes += static_cast<char>(number);
}

std::optional<Field> take_field(std::string_view& bytes) {
  const std::string_view before = bytes;
  const auto key = take_number(bytes);
  if (!key || *key < 8 || (*key & 7) > 5) return std::nullopt;
  Field field{.key = before.substr(0, before.size() - bytes.size())};
  field.type = static_cast<WireType>(*key & 7);
  std::optional<std::uint64_t> size;
  if (field.type == WireType::number) {
    std::string_view behind = bytes;
    if (!take_number(behind)) return std::nullopt;
    size = bytes.size() - behind.size();
  } else if (field.type == WireType::bytes) {
    size = take_number(bytes);
  } else if (field.type == WireType::eight_bytes || field.type == WireType::four_bytes) {
    size = field.type == WireType::four_bytes ? 4 : 8;
  }
  if (!size || *size > bytes.size()) return std::nullopt;
  field.content = bytes.substr(0, *size);
  bytes.remove_prefix(*size);
  field.whole = before.substr(0, before.size() - bytes.size());
  return field;
}

// The fields of a message; nothing if the bytes are not one.
std::optional<std::vector<Field>> fields_of(std::string_view bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const auto field = take_field(bytes);
    if (!field) return std::nullopt;
    fields.push_back(*field);
  }
  return fields;
}

class Mutation {
 public:
  Mutation(std::string_view other, Random& random, const ChangeBytes& change_bytes)
      : other_(other), random_(random), change_bytes_(change_bytes) {}

  std::string message(std::string_view bytes, int depth = 0) {
    const auto fields = fields_of(bytes);
    if (!fields || fields->empty()) return change_bytes_(bytes);
    const Field& field = (*fields)[below(fields->size())];
    const auto at = static_cast<std::size_t>(field.whole.data() - bytes.data());
    std::string made(bytes.substr(0, at));
    made += changed(field, *fields, depth);
    return made += bytes.substr(at + field.whole.size());
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  std::string changed(const Field& field, const std::vector<Field>& fields, int depth) {
    const bool may_descend = field.type == WireType::bytes && field.content.size() > 1;
    if (may_descend && depth < most_depth && below(4) != 0) return inner(field, depth);
    switch (below(7)) {
      case 0:
        return "";
      case 1:
        return std::string(field.whole) + std::string(field.whole);
      case 2:
        return std::string(fields[below(fields.size())].whole);
      case 3:
        return std::string(field.whole) + part_of_other();
      case 4:
        return with_another_key(field);
      default:
        return with_other_content(field);
    }
  }

  // Text parses as a message now and then, so both ways are tried.
  std::string inner(const Field& field, int depth) {
    const bool is_message = fields_of(field.content).has_value() && below(8) != 0;
    const std::string content =
        is_message ? message(field.content, depth + 1) : change_bytes_(field.content);
    return std::string(field.key) + number_bytes(length_for(content.size())) + content;
  }

  std::uint64_t length_for(std::size_t size) {
    constexpr std::uint64_t wrong[] = {0, 1, 0x7F, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1ULL << 32};
    if (below(24) != 0) return size;
    return below(2) == 0 ? size + below(5) - 2 : wrong[below(std::size(wrong))];
  }

  std::string with_another_key(const Field& field) {
    constexpr std::size_t most_tag = 26;
    const std::size_t tag = 1 + below(most_tag);
    const std::size_t type = below(3) == 0 ? below(6) : static_cast<std::size_t>(field.type);
    return number_bytes(tag << 3 | type) + std::string(field.whole.substr(field.key.size()));
  }

  std::string with_other_content(const Field& field) {
    const std::string key(field.key);
    if (field.type == WireType::number) return key + number_bytes(interesting_number(field));
    if (field.type == WireType::bytes) {
      const std::string content = change_bytes_(field.content);
      return key + number_bytes(length_for(content.size())) + content;
    }
    std::string content(field.content);
    if (!content.empty()) content[below(content.size())] = static_cast<char>(random_());
    return key + content;
  }

  std::uint64_t interesting_number(const Field& field) {
    constexpr std::uint64_t numbers[] = {0,          1,          2,
                                         16,         100,        1000,
                                         1ULL << 16, 1ULL << 31, (1ULL << 31) - 1,
                                         1ULL << 32, 1ULL << 62, (1ULL << 63) - 1,
                                         1ULL << 63, ~0ULL,      ~1ULL};
    std::string_view bytes = field.content;
    const std::uint64_t number = take_number(bytes).value_or(0);
    const std::size_t choice = below(3);
    if (choice == 0) return number + below(7) - 3;
    return choice == 1 ? below(32) : numbers[below(std::size(numbers))];
  }

  // A field of the other message, of a random depth.
  std::string part_of_other() {
    std::string_view bytes = other_;
    for (int depth = 0;; ++depth) {
      const auto fields = fields_of(bytes);
      if (!fields || fields->empty()) return std::string(bytes);
      const Field& field = (*fields)[below(fields->size())];
      if (field.type != WireType::bytes || depth == most_depth || below(3) == 0)
        return std::string(field.whole);
      bytes = field.content;
    }
  }

  static constexpr int most_depth = 12;

  const std::string_view other_;
  Random& random_;
  const ChangeBytes& change_bytes_;
};

}  // namespace

std::string mutated_message(std::string_view message, std::string_view other, Random& random,
                            const ChangeBytes& change_bytes) {
  return Mutation(other, random, change_bytes).message(message);
}

}  // namespace mithril::fuzz
