#include "mithril/serialization/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/serialization/json_cursor.hpp"
#include "mithril/serialization/json_string.hpp"

namespace mithril {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;
constexpr std::size_t length_bytes = 8;
constexpr std::string_view metadata_key = "__metadata__";

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& path) : json_(text), path_(path) {}

  SafetensorsHeader read() try {
    json_.object([&](std::string key) {
      if (key == metadata_key) {
        read_metadata();
      } else {
        read_tensor(std::move(key));
      }
    });
    if (!json_.at_end()) json_.expected("the end of the header");
    keep_last_of_each_name();
    return std::move(header_);
  } catch (const JsonFault& fault) {
    raise({.kind = ErrorKind::parse,
           .code = "E0741",
           .path = path_,
           .message = tensor_ ? "the header does not describe the tensor " + in_quotes(*tensor_)
                              : "the header is not that of a safetensors file",
           .facts = {{"expected", fault.expected, ""},
                     {"at", fmt::format("byte {} of the header", fault.position), ""}}});
  }

 private:
  void read_metadata() {
    if (has_metadata_) json_.expected("one field __metadata__");
    has_metadata_ = true;
    if (json_.peek() == 'n') return json_.null();
    json_.object(
        [&](const std::string& key) { header_.metadata.insert_or_assign(key, json_.string()); });
  }

  // An object, or an array of its fields in this order.
  void read_tensor(std::string name) {
    tensor_ = name;
    StoredTensor tensor;
    tensor.name = std::move(name);
    const char first = json_.peek();
    unsigned read = 0;
    const auto read_field = [&](unsigned field) {
      if (read & 1U << field) json_.expected("each field once");
      read |= 1U << field;
      if (field == 0) tensor.type = type();
      if (field == 1) tensor.dims = integers();
      if (field == 2) read_offsets(tensor);
    };
    if (first == '[') {
      unsigned field = 0;
      json_.array([&] {
        if (field == 3) json_.expected("three items");
        read_field(field++);
      });
    } else {
      json_.object([&](const std::string& key) {
        const unsigned field = key == "dtype"          ? 0
                               : key == "shape"        ? 1
                               : key == "data_offsets" ? 2
                                                       : 3;
        if (field == 3) return json_.skip();
        read_field(field);
      });
    }
    if (read != 7) json_.expected("a dtype, a shape and data_offsets");
    header_.tensors.push_back(std::move(tensor));
    tensor_.reset();
  }

  // A name, or an object with a name and null.
  StorageType type() {
    if (json_.peek() != '{') return named_type(json_.string());
    std::vector<StorageType> types;
    json_.object([&](const std::string& key) {
      types.push_back(named_type(key));
      json_.null();
    });
    if (types.size() != 1) json_.expected("one dtype");
    return types.front();
  }

  StorageType named_type(const std::string& name) {
    if (const auto type = storage_type_named(name)) return *type;
    const std::vector<std::string> known = storage_type_names();
    raise({.kind = ErrorKind::parse,
           .code = "E0742",
           .path = path_,
           .message = fmt::format("the tensor '{}' has the unknown dtype '{}'", *tensor_, name),
           .facts = {{"known", join(known, ", "), ""}},
           .help = did_you_mean(name, known)});
  }

  std::uint64_t integer() {
    const auto value = json_.unsigned_integer();
    if (!value) json_.expected("an integer of 64 bits without a sign before this");
    return *value;
  }

  std::vector<std::uint64_t> integers() {
    std::vector<std::uint64_t> items;
    json_.array([&] { items.push_back(integer()); });
    return items;
  }

  void read_offsets(StoredTensor& tensor) {
    const std::vector<std::uint64_t> offsets = integers();
    if (offsets.size() != 2) json_.expected("two offsets before this");
    tensor.begin = offsets[0];
    tensor.end = offsets[1];
  }

  void keep_last_of_each_name() {
    std::map<std::string_view, std::size_t> last;
    auto& tensors = header_.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) last[tensors[i].name] = i;
    if (last.size() == tensors.size()) return;
    std::vector<StoredTensor> kept;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (last.at(tensors[i].name) == i) kept.push_back(tensors[i]);
    }
    tensors = std::move(kept);
  }

  JsonCursor json_;
  const std::string& path_;
  SafetensorsHeader header_;
  std::optional<std::string> tensor_;  // the one that is being read
  bool has_metadata_ = false;
};

[[noreturn]] void refuse_length(const std::string& path, std::string expected, std::string got) {
  raise({.kind = ErrorKind::parse,
         .code = "E0740",
         .path = path,
         .message = "the file has no header of a safetensors file",
         .facts = {{"expected", std::move(expected), ""}, {"got", std::move(got), ""}}});
}

// The text of the header.
std::string_view header_of(std::string_view bytes, const std::string& path) {
  if (bytes.size() < length_bytes) {
    refuse_length(path, "8 bytes with the length of the header",
                  fmt::format("a file of {} bytes", bytes.size()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  const std::string got = fmt::format("a length of {} bytes", length);
  if (length > longest_header) {
    refuse_length(path, fmt::format("a header of at most {} bytes", longest_header), got);
  }
  if (length > bytes.size() - length_bytes) {
    refuse_length(path,
                  fmt::format("a header of at most {} bytes, which the file has after it",
                              bytes.size() - length_bytes),
                  got);
  }
  const std::string_view text = bytes.substr(length_bytes, length);
  const std::size_t valid = utf8_bytes(text);
  if (valid == text.size()) return text;
  raise({.kind = ErrorKind::parse,
         .code = "E0741",
         .path = path,
         .message = "the header is not that of a safetensors file",
         .facts = {{"expected", "UTF-8", ""},
                   {"at", fmt::format("byte {} of the header", valid), ""}}});
}

// nullopt if 64 bits cannot count the bits.
std::optional<std::uint64_t> bits_of_tensor(const StoredTensor& tensor) {
  std::uint64_t bits = 1;
  for (const std::uint64_t dim : tensor.dims) {
    if (__builtin_mul_overflow(bits, dim, &bits)) return std::nullopt;
  }
  const auto of_one = static_cast<std::uint64_t>(bits_of(tensor.type));
  if (__builtin_mul_overflow(bits, of_one, &bits)) return std::nullopt;
  return bits;
}

using InOrder = std::vector<const StoredTensor*>;

InOrder by_place(const std::vector<StoredTensor>& tensors) {
  InOrder order;
  for (const StoredTensor& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
  });
  return order;
}

void check_places(const InOrder& tensors, const std::string& path) {
  std::uint64_t end = 0;
  for (const StoredTensor* at : tensors) {
    const StoredTensor& tensor = *at;
    if (tensor.begin != end || tensor.end < tensor.begin) {
      raise({.kind = ErrorKind::parse,
             .code = "E0743",
             .path = path,
             .message = fmt::format("the data_offsets of the tensor '{}' leave a hole or overlap",
                                    tensor.name),
             .facts = {{"expected", fmt::format("a begin at {} and an end after it", end), ""},
                       {"got", fmt::format("[{}, {}]", tensor.begin, tensor.end), ""}}});
    }
    end = tensor.end;
    const auto bits = bits_of_tensor(tensor);
    if (!bits || *bits % 8 != 0 || *bits / 8 != tensor.end - tensor.begin) {
      raise({.kind = ErrorKind::parse,
             .code = "E0744",
             .path = path,
             .message = fmt::format("the tensor '{}' has another size than its dims", tensor.name),
             .facts = {{"dims", type_and_dims(tensor),
                        !bits ? "more than 64 bits can count" : fmt::format("{} bits", *bits)},
                       {"got", fmt::format("{} bytes", tensor.end - tensor.begin), ""}}});
    }
  }
}

void check_end(const InOrder& tensors, std::uint64_t data_bytes, const std::string& path) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const StoredTensor* t) { return t->end > data_bytes; });
  if (found != tensors.end()) {
    const StoredTensor* cut = *found;
    const std::uint64_t there = data_bytes - std::min(data_bytes, cut->begin);
    raise({.kind = ErrorKind::parse,
           .code = "E0745",
           .path = path,
           .message = fmt::format("the file is cut in the tensor '{}'", cut->name),
           .facts = {{"expected", fmt::format("{} bytes", cut->end - cut->begin),
                      type_and_dims(*cut)},
                     {"got", fmt::format("{} bytes", there), ""}},
           .help = "copy or download the file again"});
  }
  const std::uint64_t end = tensors.empty() ? 0 : tensors.back()->end;
  if (end == data_bytes) return;
  raise({.kind = ErrorKind::parse,
         .code = "E0746",
         .path = path,
         .message = "the file does not end with its last tensor",
         .facts = {{"expected", fmt::format("{} bytes of data", end), ""},
                   {"got", fmt::format("{} bytes", data_bytes), ""}}});
}

}  // namespace

std::string type_and_dims(const StoredTensor& tensor) {
  return fmt::format("{}[{}]", name(tensor.type), join(tensor.dims, ", "));
}

SafetensorsHeader read_safetensors_header(std::string_view bytes, const std::string& path) {
  const std::string_view text = header_of(bytes, path);
  SafetensorsHeader header = HeaderReader(text, path).read();
  header.data_begin = length_bytes + text.size();
  const InOrder order = by_place(header.tensors);
  check_places(order, path);
  check_end(order, bytes.size() - header.data_begin, path);
  return header;
}

std::string safetensors_header_text(const std::vector<StoredTensor>& tensors,
                                    const FileMetadata& metadata) {
  std::string text = "{";
  const auto add_key = [&](std::string_view key) {
    if (text.size() > 1) text += ',';
    append_json_string(text, key);
    text += ':';
  };
  if (!metadata.empty()) {
    add_key(metadata_key);
    std::string fields = "{";
    for (const auto& [key, value] : metadata) {
      if (fields.size() > 1) fields += ',';
      append_json_string(fields, key);
      fields += ':';
      append_json_string(fields, value);
    }
    text += fields + "}";
  }
  for (const StoredTensor& tensor : tensors) {
    add_key(tensor.name);
    text += fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        name(tensor.type), join(tensor.dims, ","), tensor.begin, tensor.end);
  }
  text += '}';
  constexpr std::size_t alignment = 64;
  text.append((alignment - (length_bytes + text.size()) % alignment) % alignment, ' ');
  std::string head;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    head += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  }
  return head + text;
}

}  // namespace mithril
