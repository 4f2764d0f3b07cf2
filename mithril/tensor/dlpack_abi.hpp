// The binary layout of the DLPack standard, version 1 (https://github.com/dmlc/dlpack, Copyright
// (c) 2017 by Contributors, Apache License 2.0), with the standard's names but in a namespace of
// ours, so that one file can also include the headers of a library that brings its own copy.
// Only what a tensor in host memory needs.
#pragma once

#include <cstdint>

namespace mithril::dlpack {

inline constexpr std::uint32_t DLPACK_MAJOR_VERSION = 1;
inline constexpr std::uint32_t DLPACK_MINOR_VERSION = 1;

inline constexpr std::uint64_t DLPACK_FLAG_BITMASK_READ_ONLY = 1;
inline constexpr std::uint64_t DLPACK_FLAG_BITMASK_IS_COPIED = 2;
// Elements of fewer than 8 bits have a byte each.
inline constexpr std::uint64_t DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED = 4;

struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

enum DLDeviceType : std::int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLMetal = 8,
  kDLROCM = 10
};

struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};

enum DLDataTypeCode : std::uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLOpaqueHandle = 3,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat4_e2m1fn = 17
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

// Strides count elements; null strides mean row-major.
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

// Whoever consumes one calls `deleter(self)` once when done, unless it is null.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

static_assert(
    sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 &&
        sizeof(DLManagedTensorVersioned) == 80,
    "the layout that other libraries were compiled with, on a machine with 64-bit pointers");

}  // namespace mithril::dlpack
