#include "mithril/serialization/inflate.hpp"

#include <algorithm>
#include <array>

namespace mithril {
namespace {

constexpr int longest_code = 15;
constexpr std::uint64_t highest_ratio = 1032;  // 258 bytes for 2 bits

struct InflateFault {};

// A canonical Huffman code: symbols sorted by the lengths of their codes.
class HuffmanCode {
 public:
  explicit HuffmanCode(std::span<const std::uint8_t> lengths) : symbols_(lengths.size()) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<int, longest_code + 2> offsets = {};
    int unused = 1;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      unused = 2 * unused - counts_[length];
      if (unused < 0) throw InflateFault();
      offsets[length + 1] = offsets[length] + counts_[length];
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] == 0) continue;
      symbols_[static_cast<std::size_t>(offsets[lengths[symbol]]++)] =
          static_cast<std::uint16_t>(symbol);
    }
  }

  template <typename Bit>
  unsigned decode(Bit next_bit) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      code |= next_bit();
      const int count = counts_[length];
      if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw InflateFault();
  }

 private:
  std::array<int, longest_code + 1> counts_ = {};
  std::vector<std::uint16_t> symbols_;
};

// The least length or distance of a symbol, and the number of bits that are added to it.
struct ExtraBits {
  unsigned base, bits;
};

constexpr ExtraBits length_table[] = {
    {3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
    {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
    {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr ExtraBits distance_table[] = {
    {1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
    {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
    {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
    {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
    {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

class Inflater {
 public:
  Inflater(std::span<const std::byte> data, std::uint64_t bytes) : data_(data), size_(bytes) {
    made_.reserve(bytes);
  }

  std::vector<std::byte> run() {
    for (bool is_last = false; !is_last;) {
      is_last = bits(1) != 0;
      const unsigned kind = bits(2);
      if (kind == 0) stored_block();
      if (kind == 1) fixed_block();
      if (kind == 2) dynamic_block();
      if (kind == 3) throw InflateFault();
    }
    if (made_.size() != size_) throw InflateFault();
    return std::move(made_);
  }

 private:
  unsigned bits(unsigned count) {
    while (held_ < count) {
      if (at_ == data_.size()) throw InflateFault();
      buffer_ |= std::to_integer<std::uint32_t>(data_[at_++]) << held_;
      held_ += 8;
    }
    const unsigned value = buffer_ & ((1U << count) - 1);
    buffer_ >>= count;
    held_ -= count;
    return value;
  }

  void add(std::byte byte) {
    if (made_.size() == size_) throw InflateFault();
    made_.push_back(byte);
  }

  void stored_block() {
    buffer_ = held_ = 0;
    const unsigned length = bits(16), complement = bits(16);
    if ((length ^ complement) != 0xFFFF || length > data_.size() - at_) throw InflateFault();
    for (unsigned i = 0; i < length; ++i) add(data_[at_++]);
  }

  void fixed_block() {
    std::array<std::uint8_t, 288> lengths;
    std::fill(lengths.begin(), lengths.begin() + 144, std::uint8_t{8});
    std::fill(lengths.begin() + 144, lengths.begin() + 256, std::uint8_t{9});
    std::fill(lengths.begin() + 256, lengths.begin() + 280, std::uint8_t{7});
    std::fill(lengths.begin() + 280, lengths.end(), std::uint8_t{8});
    const std::array<std::uint8_t, 30> distances = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
                                                    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    symbols(HuffmanCode(lengths), HuffmanCode(distances));
  }

  // The lengths of both codes, which are themselves coded.
  void dynamic_block() {
    constexpr std::size_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                     11, 4,  12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = bits(5) + 257, distances = bits(5) + 1, coded = bits(4) + 4;
    std::array<std::uint8_t, 19> code_lengths = {};
    for (std::size_t i = 0; i < coded; ++i) {
      code_lengths[order[i]] = static_cast<std::uint8_t>(bits(3));
    }
    const HuffmanCode code(code_lengths);
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < literals + distances) {
      const unsigned symbol = next(code);
      if (symbol < 16) {
        lengths.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      if (symbol == 16 && lengths.empty()) throw InflateFault();
      const std::uint8_t repeated = symbol == 16 ? lengths.back() : std::uint8_t{0};
      const unsigned times = symbol == 16 ? 3 + bits(2) : symbol == 17 ? 3 + bits(3) : 11 + bits(7);
      lengths.insert(lengths.end(), times, repeated);
    }
    if (lengths.size() != literals + distances) throw InflateFault();
    const std::span<const std::uint8_t> all = lengths;
    symbols(HuffmanCode(all.first(literals)), HuffmanCode(all.subspan(literals)));
  }

  unsigned next(const HuffmanCode& code) {
    return code.decode([&] { return static_cast<int>(bits(1)); });
  }

  void symbols(const HuffmanCode& literals, const HuffmanCode& distances) {
    constexpr unsigned end_of_block = 256;
    for (unsigned symbol; (symbol = next(literals)) != end_of_block;) {
      if (symbol < end_of_block) {
        add(static_cast<std::byte>(symbol));
        continue;
      }
      if (symbol - 257 >= std::size(length_table)) throw InflateFault();
      const ExtraBits length = length_table[symbol - 257];
      const unsigned count = length.base + bits(length.bits);
      const unsigned place = next(distances);
      if (place >= std::size(distance_table)) throw InflateFault();
      const std::size_t back = distance_table[place].base + bits(distance_table[place].bits);
      if (back > made_.size()) throw InflateFault();
      for (unsigned i = 0; i < count; ++i) add(made_[made_.size() - back]);
    }
  }

  std::span<const std::byte> data_;
  std::uint64_t size_;
  std::vector<std::byte> made_;
  std::size_t at_ = 0;
  std::uint32_t buffer_ = 0;
  unsigned held_ = 0;  // bits in the buffer
};

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320U : 0U);
    table[i] = value;
  }
  return table;
}();

}  // namespace

std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> data,
                                               std::uint64_t bytes) try {
  if (bytes > data.size() * highest_ratio) return std::nullopt;
  return Inflater(data, bytes).run();
} catch (const InflateFault&) {
  return std::nullopt;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  std::uint32_t value = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    value = value >> 8 ^ crc_table[(value ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return ~value;
}

}  // namespace mithril
