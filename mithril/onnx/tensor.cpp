#include "mithril/onnx/tensor.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "mithril/base/error.hpp"
#include "mithril/base/file_pages.hpp"
#include "mithril/base/text.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/fields.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/stored_elements.hpp"

namespace mithril::onnx {
namespace {

struct ExternalData {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

// The elements of a tensor, in whichever field they are.
struct StoredNumbers {
  std::optional<std::string_view> raw;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::int64_t> ints;
  bool is_external = false, has_segment = false;
  ExternalData external;
};

[[noreturn]] void refuse_elements(const std::string& where, const std::string& found,
                                  const std::string& expected) {
  raise({.kind = ErrorKind::parse,
         .code = "E1303",
         .path = where,
         .message = "the elements in the file are not those of the dims",
         .facts = {{"in the file", found}, {"expected", expected}},
         .help = "export the model again: its file was changed or cut off"});
}

class TensorReader {
 public:
  TensorReader(const TensorRecord& record, const FileRecord& file, const std::string& where)
      : record_(record), file_(file), source_{file.path, file.bytes}, where_(where) {}

  KnownTensor read() {
    const auto dtype = held_dtype(record_.type);
    if (!dtype) {
      raise({.kind = ErrorKind::type,
             .code = "E1305",
             .path = where_,
             .message = "Mithril has no tensors of " + name_of(record_.type),
             .facts = {{"in", file_.path}},
             .help = "leave out the nodes that read it, or convert it before the export"});
    }
    dims_ = checked_dims();
    read_fields();
    if (elements_.has_segment) refuse_elements(where_, "a segment of a tensor", "whole tensors");
    if (elements_.is_external) return external(*dtype);
    if (elements_.raw) return of_raw(*dtype);
    return of_numbers(*dtype);
  }

 private:
  Dims checked_dims() {
    std::vector<std::uint64_t> dims;
    for (const std::int64_t dim : record_.dims) {
      if (dim < 0) refuse_dims();
      dims.push_back(static_cast<std::uint64_t>(dim));
    }
    const auto countable = countable_dims(dims);
    if (!countable) refuse_dims();
    return *countable;
  }

  [[noreturn]] void refuse_dims() {
    raise({.kind = ErrorKind::parse,
           .code = "E1304",
           .path = where_,
           .message = "these are not dims of a tensor",
           .facts = {{"dims", "[" + join(record_.dims, ", ") + "]"},
                     {"expected", "sizes of at least 0 whose bytes 63 bits can count"}},
           .help = "export the model again: its file was changed"});
  }

  void read_fields() {
    for (Fields fields(record_.message, source_, "TensorProto"); fields.next();) {
      switch (fields.tag()) {
        case tensor_field::segment:
          elements_.has_segment = true;
          break;
        case tensor_field::raw_data:
          elements_.raw = fields.bytes();
          break;
        case tensor_field::float_data:
          fields.add_reals(elements_.floats);
          break;
        case tensor_field::double_data:
          fields.add_doubles(elements_.doubles);
          break;
        case tensor_field::int32_data:
        case tensor_field::int64_data:
        case tensor_field::uint64_data:
          fields.add_integers(elements_.ints);
          break;
        case tensor_field::data_location:
          elements_.is_external = fields.integer() == 1;
          break;
        case tensor_field::external_data:
          read_entry(fields.bytes());
          break;
      }
    }
  }

  void read_entry(std::string_view bytes) {
    std::string key, value;
    for (Fields fields(bytes, source_, "StringStringEntryProto"); fields.next();) {
      if (fields.tag() == entry_field::key) key = fields.text();
      if (fields.tag() == entry_field::value) value = fields.text();
    }
    if (key == "location") elements_.external.location = value;
    if (key == "offset") elements_.external.offset = number(value);
    if (key == "length") elements_.external.length = number(value);
  }

  std::uint64_t number(const std::string& text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || at != end) outside(in_quotes(text), "a number of bytes");
    return number;
  }

  [[noreturn]] void outside(const std::string& found, const std::string& expected) {
    raise(
        {.kind = ErrorKind::parse,
         .code = "E1307",
         .path = where_,
         .message = "the external data of this tensor is not in its file",
         .facts = {{"file", elements_.external.location}, {"found", found}, {"expected", expected}},
         .help = "copy this file beside the model again, whole, or export the model again"});
  }

  std::size_t expected_bytes(DType dtype) const {
    const auto count = static_cast<std::size_t>(element_count(dims_));
    return packed_bytes(dtype, count);
  }

  KnownTensor of_raw(DType dtype) {
    // The mapping is private and writable.
    auto* data = reinterpret_cast<std::byte*>(const_cast<char*>(elements_.raw->data()));
    return of_bytes(dtype, {data, elements_.raw->size()}, file_.mapping);
  }

  KnownTensor of_bytes(DType dtype, std::span<std::byte> bytes,
                       const std::shared_ptr<void>& owner) {
    const std::size_t expected = expected_bytes(dtype);
    if (bytes.size() != expected)
      refuse_elements(where_, std::to_string(bytes.size()) + " bytes",
                      std::to_string(expected) + " bytes for " + to_string(dims_));
    const auto read = [dtype, dims = dims_, bytes, owner] {
      Tensor made = is_low_bit(dtype)
                        ? unpacked(dtype, dims, bytes)
                        : tensor_of_elements(storage_type_of(dtype), dims, bytes, owner);
      if (made.raw_data() != bytes.data()) release(bytes);
      return made;
    };
    if (is_low_bit(dtype) || is_aligned(bytes.data(), dtype)) return read();
    return {dtype, dims_, read};
  }

  static bool is_aligned(const std::byte* data, DType dtype) {
    return reinterpret_cast<std::uintptr_t>(data) % size_of(dtype) == 0;
  }

  // Gives back the memory of the pages whose elements were copied. Nobody has written to them.
  static void release(std::span<const std::byte> bytes) {
    const FilePages unwritten(bytes);
    release_file_pages(bytes.data(), bytes.size());
  }

  Tensor of_numbers(DType dtype) {
    const auto count = static_cast<std::size_t>(element_count(dims_));
    const auto need = [&](std::size_t found) {
      if (found != count)
        refuse_elements(where_, std::to_string(found) + " elements",
                        std::to_string(count) + " elements for " + to_string(dims_));
    };
    if (dtype == DType::float32) {
      need(elements_.floats.size());
      return Tensor::of(dims_, elements_.floats);
    }
    if (dtype == DType::float64) {
      need(elements_.doubles.size());
      return Tensor::of(dims_, elements_.doubles);
    }
    // Each number is a byte, which has several elements of fewer bits.
    if (is_low_bit(dtype)) {
      std::vector<std::byte> bytes;
      for (const std::int64_t number : elements_.ints)
        bytes.push_back(static_cast<std::byte>(number & 0xFF));
      if (bytes.size() != packed_bytes(dtype, count)) need(bytes.size());
      return unpacked(dtype, dims_, bytes);
    }
    need(elements_.ints.size());
    // The bits of halves are stored as numbers.
    if (dtype == DType::float16 || dtype == DType::bfloat16) {
      Tensor made = Tensor::empty(dtype, dims_);
      auto* to = static_cast<char*>(made.mutable_raw_data());
      for (std::size_t i = 0; i < count; ++i) {
        const auto bits = static_cast<std::uint16_t>(elements_.ints[i]);
        std::memcpy(to + 2 * i, &bits, sizeof bits);
      }
      return made;
    }
    const Tensor made = Tensor::of(dims_, elements_.ints);
    return dtype == DType::int64 ? made : made.to(dtype);
  }

  // The file beside the model that has the elements, with links resolved.
  std::string external_path() {
    namespace fs = std::filesystem;
    const std::string& location = elements_.external.location;
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(fs::absolute(file_.path).parent_path(), failed);
    const fs::path wanted = fs::weakly_canonical(folder / location, failed);
    const auto [mismatch, rest] =
        std::mismatch(folder.begin(), folder.end(), wanted.begin(), wanted.end());
    const bool is_inside = mismatch == folder.end() && rest != wanted.end();
    if (failed || location.empty() || fs::path(location).is_absolute() || !is_inside ||
        location.find('\0') != std::string::npos) {
      raise({.kind = ErrorKind::input,
             .code = "E1306",
             .path = where_,
             .message = "the external data of this tensor is outside of the folder of the model",
             .facts = {{"location", in_quotes(location)}, {"model", in_quotes(file_.path)}},
             .help = "store the file with the elements beside the model, and name it without a "
                     "folder above"});
    }
    return wanted.string();
  }

  KnownTensor external(DType dtype) {
    const std::string path = external_path();
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
      outside("no file", "a file beside the model");
    const std::shared_ptr<MappedFile> mapping = MappedFile::open(path);
    const std::span<std::byte> bytes = mapping->bytes();
    const std::size_t length = elements_.external.length.value_or(expected_bytes(dtype));
    const std::uint64_t offset = elements_.external.offset;
    if (offset > bytes.size() || length > bytes.size() - offset) {
      outside("bytes " + std::to_string(offset) + " to " + std::to_string(offset) + " + " +
                  std::to_string(length),
              "at most " + std::to_string(bytes.size()));
    }
    return of_bytes(dtype, bytes.subspan(offset, length), mapping);
  }

  const TensorRecord& record_;
  const FileRecord& file_;
  const Source source_;
  const std::string& where_;
  Dims dims_;
  StoredNumbers elements_;
};

}  // namespace

KnownTensor read_tensor(const TensorRecord& record, const FileRecord& file,
                        const std::string& where) {
  return TensorReader(record, file, where).read();
}

}  // namespace mithril::onnx
