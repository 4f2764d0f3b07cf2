// DLPack in both directions.
#include "mithril/tensor/dlpack.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mithril/tensor/bool_bytes.hpp"
#include "mithril/tensor/low_bit.hpp"

namespace mithril {

namespace {

using namespace dlpack;

struct Encoding {
  DType dtype;
  std::uint8_t code;
};

constexpr Encoding encodings[] = {
    {DType::boolean, kDLBool},
    {DType::int32, kDLInt},
    {DType::int64, kDLInt},
    {DType::float16, kDLFloat},
    {DType::bfloat16, kDLBfloat},
    {DType::float32, kDLFloat},
    {DType::float64, kDLFloat},
    {DType::int8, kDLInt},
    {DType::int16, kDLInt},
    {DType::uint8, kDLUInt},
    {DType::uint16, kDLUInt},
    {DType::uint32, kDLUInt},
    {DType::uint64, kDLUInt},
    {DType::int4, kDLInt},
    {DType::uint4, kDLUInt},
    {DType::int2, kDLInt},
    {DType::uint2, kDLUInt},
    {DType::float8_e4m3fn, kDLFloat8_e4m3fn},
    {DType::float8_e4m3fnuz, kDLFloat8_e4m3fnuz},
    {DType::float8_e5m2, kDLFloat8_e5m2},
    {DType::float8_e5m2fnuz, kDLFloat8_e5m2fnuz},
    {DType::float8_e8m0fnu, kDLFloat8_e8m0fnu},
    {DType::float4_e2m1fn, kDLFloat4_e2m1fn},
};
static_assert(std::size(encodings) == std::size(all_dtypes));

std::string dtype_name(const DLDataType& given) {
  constexpr const char* names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string lanes = given.lanes == 1 ? "" : fmt::format("x{}", given.lanes);
  if (given.code < std::size(names)) {
    return fmt::format("{}{}{}", names[given.code], given.bits, lanes);
  }
  return fmt::format("'code {}, {} bits'{}", given.code, given.bits, lanes);
}

DType dtype_from(const DLDataType& given) {
  for (const Encoding& encoding : encodings) {
    const bool same = given.code == encoding.code && int{given.bits} == bits_of(encoding.dtype);
    if (same && given.lanes == 1) return encoding.dtype;
  }
  raise(
      {.kind = ErrorKind::type,
       .code = "E0381",
       .message = fmt::format("a DLPack tensor of dtype {} cannot be imported", dtype_name(given)),
       .help =
           "convert it to bool, an integer, float8, float16, bfloat16, float32 or float64 first"});
}

std::string device_name(const DLDevice& device) {
  constexpr std::pair<DLDeviceType, const char*> names[] = {
      {kDLCUDA, "CUDA"}, {kDLCUDAHost, "CUDA host"}, {kDLMetal, "Metal"}, {kDLROCM, "ROCm"}};
  for (const auto& [type, name] : names) {
    if (device.device_type == type) return fmt::format("{} device {}", name, device.device_id);
  }
  const int type = device.device_type;
  return fmt::format("device {} of type {}", device.device_id, type);
}

void require_host_memory(const DLTensor& given) {
  if (given.device.device_type == kDLCPU) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1080",
         .message = fmt::format("a DLPack tensor on {} cannot be imported as a tensor of the CPU",
                                device_name(given.device)),
         .help = "copy it to the CPU first"});
}

[[noreturn]] void raise_malformed(std::string message) {
  raise({.kind = ErrorKind::backend, .code = "E1082", .message = std::move(message)});
}

Dims dims_from(const DLTensor& given) {
  if (given.ndim < 0) raise_malformed(fmt::format("a DLPack tensor of rank {}", given.ndim));
  if (given.ndim > 0 && given.shape == nullptr) raise_malformed("a DLPack tensor without a shape");
  const Dims dims(given.shape, given.shape + given.ndim);
  if (element_count(dims) != 0 && given.data == nullptr) {
    raise_malformed(fmt::format("a DLPack tensor of dims {} without data", to_string(dims)));
  }
  return dims;
}

bool is_row_major(const Dims& dims, const std::int64_t* strides) {
  if (strides == nullptr || element_count(dims) == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i] != 1 && strides[i] != expected) return false;
    expected *= dims[i];
  }
  return true;
}

// Appends the elements below one position of the axes before `axis`, in row-major order.
void gather(const DLTensor& given, std::int32_t axis, const std::byte* from, std::size_t element,
            std::byte*& to) {
  if (axis == given.ndim) {
    std::memcpy(to, from, element);
    to += element;
    return;
  }
  const std::ptrdiff_t step = given.strides[axis] * static_cast<std::ptrdiff_t>(element);
  for (std::int64_t i = 0; i < given.shape[axis]; ++i) {
    gather(given, axis + 1, from + i * step, element, to);
  }
}

Tensor copied(const DLTensor& given, DType dtype, Dims dims, const std::byte* data) {
  Tensor result = Tensor::empty(dtype, std::move(dims));
  auto* to = static_cast<std::byte*>(result.mutable_raw_data());
  if (is_row_major(result.dims(), given.strides)) {
    std::memcpy(to, data, result.bytes());
  } else {
    gather(given, 0, data, size_of(dtype), to);
  }
  if (dtype == DType::boolean) {
    normalise_bools(result.raw_data(), result.mutable_raw_data(), result.size());
  }
  return result;
}

template <class Managed>
void release(Managed* managed) {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

[[noreturn]] void refuse_packed(DType dtype) {
  raise({.kind = ErrorKind::type,
         .code = "E1367",
         .message = fmt::format("a DLPack tensor of {} with several elements in a byte cannot be "
                                "shared",
                                name(dtype)),
         .help = "give each element a byte, and say so in the flags of DLPack 1.1"});
}

// `is_padded`: elements of fewer bits have a byte each.
template <class Managed>
Tensor imported(Managed* managed, bool read_only, bool is_padded) {
  const DLTensor& given = managed->dl_tensor;
  require_host_memory(given);
  const DType dtype = dtype_from(given.dtype);
  if (bits_of(dtype) < 8 && !is_padded) refuse_packed(dtype);
  const Dims dims = dims_from(given);
  auto* data =
      given.data == nullptr ? nullptr : static_cast<std::byte*>(given.data) + given.byte_offset;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % size_of(dtype) == 0;
  if (!aligned || !is_row_major(dims, given.strides)) {
    const Tensor result = copied(given, dtype, dims, data);
    release(managed);
    return result;
  }
  const std::shared_ptr<void> owner(managed, release<Managed>);
  if (read_only) return Tensor::borrow(dtype, dims, static_cast<const void*>(data), owner);
  return Tensor::borrow(dtype, dims, static_cast<void*>(data), owner);
}

// The memory to which an exported struct points; its deleter frees it.
template <class Managed>
struct Exported {
  Tensor tensor;
  Dims shape;
  Dims strides;
  Managed managed{};
};

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  if (element_count(dims) == 0) return strides;
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

template <class Managed>
Managed* exported(const Tensor& tensor) {
  auto holder = std::make_unique<Exported<Managed>>();
  holder->tensor = tensor;
  holder->shape = tensor.dims();
  holder->strides = row_major_strides(tensor.dims());
  holder->managed.dl_tensor = {.data = const_cast<void*>(tensor.raw_data()),
                               .device = {kDLCPU, 0},
                               .ndim = static_cast<std::int32_t>(tensor.rank()),
                               .dtype = dlpack_dtype(tensor.dtype()),
                               .shape = holder->shape.data(),
                               .strides = holder->strides.data(),
                               .byte_offset = 0};
  holder->managed.manager_ctx = holder.get();
  holder->managed.deleter = [](Managed* self) {
    delete static_cast<Exported<Managed>*>(self->manager_ctx);
  };
  return &holder.release()->managed;
}

}  // namespace

DLDataType dlpack_dtype(DType dtype) {
  for (const Encoding& encoding : encodings) {
    if (encoding.dtype == dtype)
      return {encoding.code, static_cast<std::uint8_t>(bits_of(dtype)), 1};
  }
  MITHRIL_CHECK(false, "a dtype without an encoding in DLPack");
  return {};
}

Tensor from_dlpack(DLManagedTensorVersioned* managed) {
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    raise(
        {.kind = ErrorKind::backend,
         .code = "E1081",
         .message = fmt::format("a DLPack tensor of version {}.{} cannot be imported; expected 1.x",
                                managed->version.major, managed->version.minor)});
  }
  return imported(managed, (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0,
                  (managed->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0);
}

Tensor from_dlpack(DLManagedTensor* managed) { return imported(managed, false, false); }

DLManagedTensorVersioned* to_dlpack(const Tensor& tensor) {
  auto* managed = exported<DLManagedTensorVersioned>(tensor);
  managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->flags = tensor.read_only() ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  if (bits_of(tensor.dtype()) < 8) managed->flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  return managed;
}

DLManagedTensor* to_dlpack_unversioned(const Tensor& tensor) {
  if (bits_of(tensor.dtype()) < 8) refuse_packed(tensor.dtype());  // it has no flags
  return exported<DLManagedTensor>(tensor.read_only() ? tensor.copy() : tensor);
}

}  // namespace mithril
