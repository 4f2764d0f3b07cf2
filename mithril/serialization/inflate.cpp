#include "mithril/serialization/inflate.hpp"

#include <algorithm>
#include <array>

namespace mithril {
namespace {

constexpr unsigned longest_code = 15;
constexpr std::uint64_t highest_ratio = 1032;  // 258 bytes for 2 bits

struct InflateFault {};

// Eight bytes as a number, the first in the lowest bits.
std::uint64_t eight_bytes(const std::byte* bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> data) : data_(data) {}

  unsigned bits(unsigned count) {
    if (held_ < count) fill();
    const unsigned value = static_cast<unsigned>(buffer_) & ((1U << count) - 1);
    drop(count);
    return value;
  }

  // The next bits up to the longest code, without consuming them; zeros after the end of the data.
  unsigned ahead() {
    if (held_ < longest_code) fill();
    return static_cast<unsigned>(buffer_);
  }

  void drop(unsigned count) {
    if (count > held_) throw InflateFault();
    buffer_ >>= count;
    held_ -= count;
  }

  // The bytes after the next boundary of bytes.
  std::span<const std::byte> bytes(std::size_t count) {
    at_ -= held_ / 8;
    buffer_ = held_ = 0;
    if (count > data_.size() - at_) throw InflateFault();
    at_ += count;
    return data_.subspan(at_ - count, count);
  }

 private:
  // The buffer may have bits above those it holds: these are of the byte that is read next.
  void fill() {
    if (data_.size() - at_ >= 8) {
      buffer_ |= eight_bytes(data_.data() + at_) << held_;
      at_ += (63 - held_) / 8;
      held_ |= 56;
      return;
    }
    for (; held_ < 56 && at_ < data_.size(); held_ += 8) {
      buffer_ |= std::to_integer<std::uint64_t>(data_[at_++]) << held_;
    }
  }

  std::span<const std::byte> data_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;
  unsigned held_ = 0;  // bits in the buffer
};

// A canonical Huffman code: symbols sorted by the lengths of their codes, and a table of the codes
// that are not longer than its index.
class HuffmanCode {
 public:
  explicit HuffmanCode(std::span<const std::uint8_t> lengths) : symbols_(lengths.size()) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<unsigned, longest_code + 2> offsets = {}, codes = {};
    int unused = 1;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      unused = 2 * unused - static_cast<int>(counts_[length]);
      if (unused < 0) throw InflateFault();
      offsets[length + 1] = offsets[length] + counts_[length];
      codes[length + 1] = (codes[length] + counts_[length]) << 1;
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      const std::uint8_t length = lengths[symbol];
      if (length == 0) continue;
      symbols_[offsets[length]++] = static_cast<std::uint16_t>(symbol);
      add_to_table(codes[length]++, length, static_cast<std::uint16_t>(symbol));
    }
  }

  unsigned decode(BitReader& reader) const {
    const Entry entry = table_[reader.ahead() % table_.size()];
    if (entry.length == 0) return decode_bit_by_bit(reader);
    reader.drop(entry.length);
    return entry.symbol;
  }

 private:
  static constexpr unsigned table_bits = 10;

  struct Entry {
    std::uint16_t symbol;
    std::uint16_t length;  // 0: a longer code, or none
  };

  // A code begins with its highest bit, which is the lowest of the index.
  void add_to_table(unsigned code, unsigned length, std::uint16_t symbol) {
    if (length > table_bits) return;
    unsigned first = 0;
    for (unsigned bit = 0; bit < length; ++bit) first |= (code >> bit & 1U) << (length - 1 - bit);
    for (std::size_t i = first; i < table_.size(); i += std::size_t{1} << length) {
      table_[i] = {symbol, static_cast<std::uint16_t>(length)};
    }
  }

  unsigned decode_bit_by_bit(BitReader& reader) const {
    unsigned code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= longest_code; ++length) {
      code |= reader.bits(1);
      const unsigned count = counts_[length];
      if (code < first + count) return symbols_[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw InflateFault();
  }

  std::array<unsigned, longest_code + 1> counts_ = {};
  std::vector<std::uint16_t> symbols_;
  std::array<Entry, 1U << table_bits> table_ = {};
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
  Inflater(std::span<const std::byte> data, std::uint64_t bytes) : reader_(data), size_(bytes) {
    made_.reserve(bytes);
  }

  std::vector<std::byte> run() {
    for (bool is_last = false; !is_last;) {
      is_last = reader_.bits(1) != 0;
      const unsigned kind = reader_.bits(2);
      if (kind == 0) stored_block();
      if (kind == 1) fixed_block();
      if (kind == 2) dynamic_block();
      if (kind == 3) throw InflateFault();
    }
    if (end_ != size_) throw InflateFault();
    return std::move(made_);
  }

 private:
  // The place of the next bytes. The vector grows within its capacity, so that the memory of bytes
  // that the data does not have is never touched.
  std::byte* next_bytes(std::size_t count) {
    constexpr std::size_t step = 1U << 16;
    if (count > made_.size() - end_) {
      if (count > size_ - end_) throw InflateFault();
      made_.resize(end_ + std::min<std::size_t>(size_ - end_, std::max(count, step)));
    }
    end_ += count;
    return made_.data() + (end_ - count);
  }

  void stored_block() {
    const std::span<const std::byte> header = reader_.bytes(4);
    const auto number = [&](std::size_t at) {
      return std::to_integer<unsigned>(header[at]) | std::to_integer<unsigned>(header[at + 1]) << 8;
    };
    if ((number(0) ^ number(2)) != 0xFFFF) throw InflateFault();
    const std::span<const std::byte> content = reader_.bytes(number(0));
    std::copy(content.begin(), content.end(), next_bytes(content.size()));
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
    const std::size_t literals = reader_.bits(5) + 257;
    const std::size_t distances = reader_.bits(5) + 1;
    const std::size_t coded = reader_.bits(4) + 4;
    std::array<std::uint8_t, 19> code_lengths = {};
    for (std::size_t i = 0; i < coded; ++i) {
      code_lengths[order[i]] = static_cast<std::uint8_t>(reader_.bits(3));
    }
    const HuffmanCode code(code_lengths);
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < literals + distances) {
      const unsigned symbol = code.decode(reader_);
      if (symbol < 16) {
        lengths.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      if (symbol == 16 && lengths.empty()) throw InflateFault();
      const std::uint8_t repeated = symbol == 16 ? lengths.back() : std::uint8_t{0};
      const unsigned times = symbol == 16   ? 3 + reader_.bits(2)
                             : symbol == 17 ? 3 + reader_.bits(3)
                                            : 11 + reader_.bits(7);
      lengths.insert(lengths.end(), times, repeated);
    }
    if (lengths.size() != literals + distances) throw InflateFault();
    const std::span<const std::uint8_t> all = lengths;
    symbols(HuffmanCode(all.first(literals)), HuffmanCode(all.subspan(literals)));
  }

  void symbols(const HuffmanCode& literals, const HuffmanCode& distances) {
    constexpr unsigned end_of_block = 256;
    for (unsigned symbol; (symbol = literals.decode(reader_)) != end_of_block;) {
      if (symbol < end_of_block) {
        *next_bytes(1) = static_cast<std::byte>(symbol);
        continue;
      }
      if (symbol - 257 >= std::size(length_table)) throw InflateFault();
      const ExtraBits length = length_table[symbol - 257];
      const std::size_t count = length.base + reader_.bits(length.bits);
      const unsigned place = distances.decode(reader_);
      if (place >= std::size(distance_table)) throw InflateFault();
      const ExtraBits distance = distance_table[place];
      repeat(distance.base + reader_.bits(distance.bits), count);
    }
  }

  // Appends bytes from `back` bytes before the end, among them those that it appends.
  void repeat(std::size_t back, std::size_t count) {
    if (back > end_) throw InflateFault();
    std::byte* const to = next_bytes(count);
    for (std::size_t done = 0; done < count;) {
      const std::size_t part = std::min(count - done, back + done);
      std::copy_n(to - back, part, to + done);
      done += part;
    }
  }

  BitReader reader_;
  std::uint64_t size_;
  std::vector<std::byte> made_;
  std::size_t end_ = 0;  // of the bytes made so far
};

// The remainders of a byte that 0 to 7 other bytes follow.
constexpr std::array<std::array<std::uint32_t, 256>, 8> crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320U : 0U);
    tables[0][i] = value;
  }
  for (std::size_t after = 1; after < tables.size(); ++after) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t value = tables[after - 1][i];
      tables[after][i] = value >> 8 ^ tables[0][value & 0xFF];
    }
  }
  return tables;
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
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint64_t word = eight_bytes(bytes.data()) ^ value;
    value = 0;
    for (unsigned i = 0; i < 8; ++i) value ^= crc_tables[7 - i][word >> (8 * i) & 0xFF];
  }
  for (const std::byte byte : bytes) {
    value = value >> 8 ^ crc_tables[0][(value ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return ~value;
}

}  // namespace mithril
