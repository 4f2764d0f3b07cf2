#include "mithril/serialization/write_npy.hpp"

#include <fmt/format.h>

#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril {
namespace {

std::string_view npy_type(DType dtype) {
  if (is_low_bit(dtype)) return "|V1";
  switch (dtype) {
    case DType::boolean:
      return "|b1";
    case DType::int8:
      return "|i1";
    case DType::uint8:
      return "|u1";
    case DType::int16:
      return "<i2";
    case DType::uint16:
      return "<u2";
    case DType::uint32:
      return "<u4";
    case DType::uint64:
      return "<u8";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::float16:
      return "<f2";
    case DType::float32:
      return "<f4";
    case DType::float64:
      return "<f8";
    default:
      break;
  }
  MITHRIL_CHECK(false, std::string(name(dtype)));
}

}  // namespace

void save_npy(const std::string& path, const Tensor& tensor) {
  const bool is_widened = tensor.dtype() == DType::bfloat16;
  const Tensor written = is_widened ? tensor.to(DType::float32) : tensor.host();
  const Dims& dims = written.dims();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  npy_type(written.dtype()), join(dims, ", "), dims.size() == 1 ? "," : "");
  // The elements begin at a multiple of 64 bytes. The magic, the version and the length take ten.
  constexpr std::size_t alignment = 64, fixed = 10;
  const std::size_t used = fixed + header.size() + 1;
  header.append((alignment - used % alignment) % alignment, ' ');
  header += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(header.size() & 0xFF);
  head += static_cast<char>(header.size() >> 8);
  head += header;
  const std::string_view pieces[] = {
      head, {static_cast<const char*>(written.raw_data()), written.bytes()}};
  if (const std::string why = write_file(path, pieces); !why.empty()) cannot_write(path, why);
}

}  // namespace mithril
