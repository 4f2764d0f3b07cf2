#include "mithril/onnx/fields.hpp"

#include <protozero/varint.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"

namespace mithril::onnx {

using protozero::pbf_wire_type;

namespace {

// The first bytes of files of other kinds.
struct FirstBytes {
  std::size_t at;
  std::string_view bytes;
  const char* kind;
  const char* help = "export the model as an ONNX file, and give that one";
};
constexpr FirstBytes first_bytes[] = {{0, "version https://git-lfs", "a pointer of Git LFS",
                                       "fetch the file that it points to: git lfs pull"},
                                      {0, "PK\x03\x04", "a .zip archive, as torch.save writes it"},
                                      {0, "\x80\x02", "a pickle"},
                                      {0, "\x80\x03", "a pickle"},
                                      {0, "\x80\x04", "a pickle"},
                                      {0, "\x80\x05", "a pickle"},
                                      {0, "\x89HDF\r\n", "an HDF5 file, as Keras writes it"},
                                      {4, "TFL3", "a model of TensorFlow Lite"},
                                      {4, "ORTM", "a model in ORT format"},
                                      {0, "GGUF", "a GGUF file"},
                                      {0, "\x93NUMPY", "an array of NumPy"},
                                      {0, "\x1f\x8b", "a gzip file"},
                                      {0, "\xff\xd8\xff", "a JPEG image"},
                                      {0, "\x89PNG", "a PNG image"},
                                      {0, "<", "HTML or XML"},
                                      {0, "{", "JSON"}};

// Null: the file begins like none of them.
const FirstBytes* other_kind_of(std::string_view file) {
  for (const FirstBytes& first : first_bytes) {
    if (file.substr(std::min(first.at, file.size())).starts_with(first.bytes)) return &first;
  }
  return nullptr;
}

}  // namespace

void damaged(const Source& source, const char* message, const char* at,
             const std::string& problem) {
  const auto offset = at - source.bytes.data();
  std::vector<Fact> facts = {
      {"problem", problem}, {"place", std::string(message) + " at byte " + std::to_string(offset)}};
  const FirstBytes* other = other_kind_of(source.bytes);
  if (other) facts.insert(facts.begin(), {"it looks like", other->kind});
  raise({.kind = ErrorKind::parse,
         .code = "E1301",
         .path = source.path,
         .message = "the file is not a complete ONNX file",
         .facts = std::move(facts),
         .help = other ? other->help : "copy the file again: it was changed or cut off"});
}

void Fields::fail(const std::string& problem) {
  damaged(source_, message_, reader_.data().data(), problem);
}

template <class Function>
auto Fields::guarded(Function&& read) {
  try {
    return read();
  } catch (const protozero::end_of_buffer_exception&) {
    fail("a field ends beyond its message");
  } catch (const protozero::varint_too_long_exception&) {
    fail("a number has more than 10 bytes");
  } catch (const protozero::unknown_pbf_wire_type_exception&) {
    fail("a field has an unknown wire type");
  } catch (const protozero::invalid_tag_exception&) {
    fail("a field has the number 0, or one that is reserved");
  } catch (const protozero::invalid_length_exception&) {
    fail("packed numbers end in the middle of one");
  }
}

void Fields::need(pbf_wire_type type) {
  if (!reader_.has_wire_type(type))
    fail("field " + std::to_string(tag_) + " has another wire type than it needs");
  is_unread_ = false;
}

bool Fields::next() {
  return guarded([&] {
    // protozero keeps 32 bits of a length.
    const auto check_length = [&] {
      const char* at = reader_.data().data();
      const char* end = at + reader_.data().size();
      if (protozero::decode_varint(&at, end) > static_cast<std::uint64_t>(end - at))
        throw protozero::end_of_buffer_exception();
    };
    if (is_unread_) reader_.skip();
    if (!reader_.next()) return false;
    tag_ = reader_.tag();
    is_unread_ = true;
    if (reader_.has_wire_type(pbf_wire_type::length_delimited)) check_length();
    return true;
  });
}

std::string_view Fields::bytes() {
  need(pbf_wire_type::length_delimited);
  return guarded([&] {
    const char* at = reader_.data().data();
    const char* end = at + reader_.data().size();
    const std::uint64_t length = protozero::decode_varint(&at, end);
    if (length > std::numeric_limits<std::uint32_t>::max())
      fail("a field has more than 4 GiB: store the tensors as external data");
    const protozero::data_view view = reader_.get_view();
    return std::string_view(view.data(), view.size());
  });
}

std::string Fields::text() {
  const std::string_view found = bytes();
  if (utf8_bytes(found) != found.size())
    fail("field " + std::to_string(tag_) + " is not text in UTF-8");
  return std::string(found);
}

std::int64_t Fields::integer() {
  need(pbf_wire_type::varint);
  return guarded([&] { return reader_.get_int64(); });
}

float Fields::real() {
  need(pbf_wire_type::fixed32);
  return guarded([&] { return reader_.get_float(); });
}

void Fields::add_integers(std::vector<std::int64_t>& numbers) {
  if (!is_packed()) {
    numbers.push_back(integer());
    return;
  }
  const std::string_view packed = bytes();
  guarded([&] {
    const char* at = packed.data();
    const char* end = at + packed.size();
    while (at != end)
      numbers.push_back(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
  });
}

namespace {

template <class T>
void add_fixed(std::string_view packed, std::vector<T>& numbers) {
  if (packed.size() % sizeof(T) != 0) throw protozero::invalid_length_exception();
  const std::size_t before = numbers.size(), count = packed.size() / sizeof(T);
  numbers.resize(before + count);
  if (count > 0) std::memcpy(numbers.data() + before, packed.data(), packed.size());
}

}  // namespace

void Fields::add_reals(std::vector<float>& numbers) {
  if (!is_packed()) {
    numbers.push_back(real());
    return;
  }
  const std::string_view packed = bytes();
  guarded([&] { add_fixed(packed, numbers); });
}

void Fields::add_doubles(std::vector<double>& numbers) {
  if (is_packed()) {
    const std::string_view packed = bytes();
    guarded([&] { add_fixed(packed, numbers); });
    return;
  }
  need(pbf_wire_type::fixed64);
  numbers.push_back(guarded([&] { return reader_.get_double(); }));
}

}  // namespace mithril::onnx
