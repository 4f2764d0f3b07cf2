#include "mithril/serialization/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/stored_elements.hpp"
#include "mithril/tensor/low_bit.hpp"

namespace mithril {

struct NpyHeader {
  std::string descr;  // "<f4": byte order, kind, bytes
  bool is_column_major = false;
  std::vector<std::uint64_t> dims;
  std::size_t bytes = 0;  // of the header
};

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

// Python's literal of a dict of this form:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyHeaderReader {
 public:
  explicit NpyHeaderReader(std::string_view text) : text_(text) {}

  NpyHeader read() {
    NpyHeader header;
    unsigned found = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        // Records have a list of fields.
        header.descr = peek() == '[' ? "a record" : string();
        if (header.descr == "a record") throw NpyFault{"an array of records"};
        found |= 1;
      } else if (key == "fortran_order") {
        header.is_column_major = word() == "True";
        found |= 2;
      } else if (key == "shape") {
        header.dims = integers();
        found |= 4;
      } else {
        malformed();
      }
      if (!accept(',') && peek() != '}') malformed();
    }
    if (found != 7) malformed();
    return header;
  }

 private:
  [[noreturn]] static void malformed() { throw NpyFault{"an array with a damaged header"}; }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) malformed();
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(text);
  }
  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'A' && text_[at_] <= 'z') ++at_;
    const std::string_view made = text_.substr(begin, at_ - begin);
    if (made != "True" && made != "False") malformed();
    return made;
  }
  std::vector<std::uint64_t> integers() {
    std::vector<std::uint64_t> items;
    expect('(');
    while (!accept(')')) {
      peek();
      std::uint64_t value = 0;
      const auto [end, failed] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (failed != std::errc()) malformed();
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');  // Python 2
      items.push_back(value);
      if (!accept(',') && peek() != ')') malformed();
    }
    return items;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// nullopt if the bytes end in the header.
std::optional<NpyHeader> npy_header(std::string_view bytes) {
  if (!bytes.starts_with(npy_magic.substr(0, std::min(bytes.size(), npy_magic.size())))) {
    throw NpyFault{"an entry that is not an array"};
  }
  const std::size_t version_at = npy_magic.size();
  if (bytes.size() < version_at + 6) return std::nullopt;
  const int length_bytes = bytes[version_at] == 1 ? 2 : 4;
  std::size_t length = 0;
  const std::size_t length_at = version_at + 2;
  for (int i = length_bytes; i-- > 0;) {
    length =
        length << 8 | static_cast<unsigned char>(bytes[length_at + static_cast<std::size_t>(i)]);
  }
  const std::size_t begin = length_at + static_cast<std::size_t>(length_bytes);
  if (length > bytes.size() - begin) return std::nullopt;
  NpyHeader header = NpyHeaderReader(bytes.substr(begin, length)).read();
  header.bytes = begin + length;
  return header;
}

std::optional<StorageType> npy_type(std::string_view kind_and_bytes) {
  // numpy.save writes f1 for float8_e5m2 of ml_dtypes, which numpy.load does not read.
  static const std::map<std::string_view, StorageType> types = {
      {"b1", StorageType::boolean},   {"i1", StorageType::int8},       {"u1", StorageType::uint8},
      {"i2", StorageType::int16},     {"u2", StorageType::uint16},     {"i4", StorageType::int32},
      {"u4", StorageType::uint32},    {"i8", StorageType::int64},      {"u8", StorageType::uint64},
      {"f2", StorageType::float16},   {"f4", StorageType::float32},    {"f8", StorageType::float64},
      {"c8", StorageType::complex64}, {"f1", StorageType::float8_e5m2}};
  const auto found = types.find(kind_and_bytes);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

Tensor low_bit_tensor(DType dtype, Dims dims, std::span<const std::byte> bytes) {
  Tensor made = Tensor::empty(dtype, std::move(dims));
  // ml_dtypes leaves the other bits open.
  const auto mask = static_cast<std::byte>((1U << static_cast<unsigned>(bits_of(dtype))) - 1);
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  for (std::size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i] & mask;
  return made;
}

}  // namespace

void NpyReader::refuse_cut(std::optional<std::uint64_t> expected, std::uint64_t got) const {
  std::vector<Fact> facts;
  if (expected) {
    facts = {{"expected", fmt::format("{} bytes", *expected), ""},
             {"got", fmt::format("{} bytes", got), ""}};
  }
  raise({.kind = ErrorKind::parse,
         .code = "E0745",
         .path = path_,
         .message = expected ? fmt::format("the file is cut in the tensor '{}'", name_)
                             : fmt::format("the file is cut in or after the tensor '{}'", name_),
         .facts = std::move(facts),
         .help = "copy or download the file again"});
}

void NpyReader::refuse_type(const NpyHeader& header) const {
  raise({.kind = ErrorKind::parse,
         .code = "E0748",
         .path = path_,
         .message = fmt::format("no tensor of Mithril can hold '{}'", name_),
         .facts = {{"stored",
                    fmt::format("{}[{}]", printable(header.descr), join(header.dims, ", ")), ""}},
         .help = "store it with another dtype or shape"});
}

Tensor NpyReader::read(std::span<std::byte> bytes, const std::shared_ptr<void>& owner,
                       bool may_be_longer) const {
  const std::optional<NpyHeader> header =
      npy_header({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!header) refuse_cut(std::nullopt, 0);
  if (header->descr.find('O') != std::string::npos) throw NpyFault{"an array of Python objects"};
  const bool has_order = header->descr.find_first_of("<>|=") == 0;
  const std::string_view stored = std::string_view(header->descr).substr(has_order ? 1 : 0);
  const bool is_low_bit = low_bit_ && stored == "V1";
  const auto type = npy_type(stored);
  const std::optional<Dims> dims = countable_dims(header->dims);
  if (!dims || (!is_low_bit && (!type || !same_dtype(*type)))) refuse_type(*header);
  const std::size_t element_bytes = is_low_bit ? 1 : static_cast<std::size_t>(bits_of(*type)) / 8;
  const auto tensor_of = [&](std::span<std::byte> elements, const std::shared_ptr<void>& holder) {
    return is_low_bit ? low_bit_tensor(*low_bit_, *dims, elements)
                      : tensor_of_elements(*type, *dims, elements, holder);
  };
  std::uint64_t expected = element_bytes;
  for (const std::uint64_t dim : header->dims) expected *= dim;
  const std::uint64_t got = bytes.size() - header->bytes;
  if (got < expected && may_be_longer) refuse_cut(expected, got);
  if (got < expected || (got > expected && !may_be_longer)) {
    throw NpyFault{fmt::format("an array of {} bytes with {} bytes of elements", expected, got)};
  }
  std::span<std::byte> elements = bytes.subspan(header->bytes, expected);
  const bool is_swapped = header->descr[0] == '>' && element_bytes > 1;
  if (expected == 0 || (!header->is_column_major && !is_swapped)) {
    return tensor_of(elements, owner);
  }
  std::vector<std::byte> copy(elements.begin(), elements.end());
  if (header->is_column_major) {
    Strides strides(dims->size());
    std::uint64_t step = 1;
    for (std::size_t axis = 0; axis < dims->size(); ++axis) {
      strides[axis] = step;
      step *= header->dims[axis];
    }
    copy = row_major_copy(elements, element_bytes, *dims, strides);
  }
  for (std::size_t at = 0; is_swapped && at < copy.size(); at += element_bytes) {
    std::reverse(copy.begin() + static_cast<std::ptrdiff_t>(at),
                 copy.begin() + static_cast<std::ptrdiff_t>(at + element_bytes));
  }
  const auto held = std::make_shared<std::vector<std::byte>>(std::move(copy));
  return tensor_of(*held, held);
}

Tensor load_npy(const std::string& path, std::optional<DType> low_bit) try {
  const std::shared_ptr<MappedFile> file = MappedFile::open(path);
  return NpyReader(path, "array", low_bit).read(file->bytes(), file, true);
} catch (const NpyFault& fault) {
  raise({.kind = ErrorKind::parse,
         .code = "E0750",
         .path = path,
         .message = "the file is not a .npy file of an array",
         .facts = {{"why", "it is " + fault.why, ""}}});
}

}  // namespace mithril
