// DLPack in both directions: sharing, copies, errors, and ownership.
#include "mithril/tensor/dlpack.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "mithril/tensor/low_bit.hpp"

namespace mithril {

namespace {

using namespace dlpack;

// A tensor of another library: floats 0 to 11, seen as 3 rows of 4, and a count of the deleter's
// calls.
struct Foreign {
  std::vector<float> elements{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<std::int64_t> shape{3, 4};
  std::vector<std::int64_t> strides{4, 1};
  int deleted = 0;
  DLManagedTensorVersioned managed{};

  Foreign() {
    managed.version = {DLPACK_MAJOR_VERSION, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    refresh();
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

  void refresh() {
    managed.dl_tensor.data = elements.data();
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.dl_tensor.shape = shape.data();
    managed.dl_tensor.strides = strides.data();
  }
  void view(std::vector<std::int64_t> new_shape, std::vector<std::int64_t> new_strides) {
    shape = std::move(new_shape);
    strides = std::move(new_strides);
    refresh();
  }
};

std::string text_of_refusal(Foreign& foreign) {
  try {
    from_dlpack(&foreign.managed);
  } catch (const Error& error) {
    CHECK(foreign.deleted == 0);
    return error.what();
  }
  return "nothing was raised";
}

}  // namespace

TEST_CASE("a row-major tensor is imported without a copy") {
  Foreign foreign;
  const Tensor tensor = from_dlpack(&foreign.managed);
  CHECK(tensor.raw_data() == foreign.elements.data());
  CHECK(tensor.dims() == Dims{3, 4});
  CHECK(tensor.dtype() == DType::float32);
  CHECK(!tensor.read_only());
}

TEST_CASE("the deleter runs once, when the last tensor that shares is gone") {
  Foreign foreign;
  {
    const Tensor tensor = from_dlpack(&foreign.managed);
    const Tensor reshaped = tensor.reshape({12});
    CHECK(foreign.deleted == 0);
  }
  CHECK(foreign.deleted == 1);
}

TEST_CASE("null strides mean row-major") {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = nullptr;
  CHECK(from_dlpack(&foreign.managed).raw_data() == foreign.elements.data());
}

TEST_CASE("the stride of a dim of one does not matter") {
  Foreign foreign;
  foreign.view({1, 12, 1}, {99, 1, -5});
  CHECK(from_dlpack(&foreign.managed).raw_data() == foreign.elements.data());
}

TEST_CASE("the byte offset is followed") {
  Foreign foreign;
  foreign.view({2}, {1});
  foreign.managed.dl_tensor.byte_offset = 3 * sizeof(float);
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of<float>({2}, {3, 4})));
}

TEST_CASE("a transposed tensor is copied into row-major order and released") {
  Foreign foreign;
  foreign.view({4, 3}, {1, 4});
  const Tensor tensor = from_dlpack(&foreign.managed);
  CHECK(identical(tensor, Tensor::of<float>({4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11})));
  CHECK(foreign.deleted == 1);
}

TEST_CASE("negative and zero strides are followed") {
  Foreign foreign;
  foreign.view({2, 3}, {0, -1});
  foreign.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of<float>({2, 3}, {2, 1, 0, 2, 1, 0})));
}

TEST_CASE("elements that are not aligned for their type are copied") {
  Foreign foreign;
  std::vector<std::byte> raw(9);
  const float one = 1.0F;
  std::memcpy(raw.data() + 1, &one, sizeof one);
  std::memcpy(raw.data() + 5, &one, sizeof one);
  foreign.view({2}, {1});
  foreign.managed.dl_tensor.data = raw.data() + 1;
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of<float>({2}, {1, 1})));
  CHECK(foreign.deleted == 1);
}

TEST_CASE("bools with other bytes than 0 and 1 are imported as 0 and 1") {
  unsigned char bytes[] = {0, 2, 1, 255};
  const auto import = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    Foreign foreign;
    foreign.view(std::move(shape), std::move(strides));
    foreign.managed.dl_tensor.dtype = {kDLBool, 8, 1};
    foreign.managed.dl_tensor.data = bytes;
    const Tensor imported = from_dlpack(&foreign.managed);
    CHECK(foreign.deleted == 1);  // copied
    return std::vector<int>(static_cast<const unsigned char*>(imported.raw_data()),
                            static_cast<const unsigned char*>(imported.raw_data()) + 4);
  };
  CHECK(import({4}, {1}) == std::vector<int>{0, 1, 1, 1});
  CHECK(import({2, 2}, {1, 2}) == std::vector<int>{0, 1, 1, 1});
  CHECK(bytes[1] == 2);
}

TEST_CASE("a read-only tensor stays read-only") {
  Foreign foreign;
  foreign.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor tensor = from_dlpack(&foreign.managed);
  CHECK(tensor.read_only());
  DLManagedTensorVersioned* again = to_dlpack(tensor);
  CHECK((again->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  again->deleter(again);
}

TEST_CASE("a tensor without elements and without data is imported") {
  Foreign foreign;
  foreign.view({0, 4}, {4, 1});
  foreign.managed.dl_tensor.data = nullptr;
  CHECK(from_dlpack(&foreign.managed).dims() == Dims{0, 4});
}

TEST_CASE("a tensor without a deleter is imported") {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  CHECK(from_dlpack(&foreign.managed).size() == 12);
}

TEST_CASE("a tensor on another device is refused by its name") {
  Foreign foreign;
  foreign.managed.dl_tensor.device = {kDLCUDA, 1};
  CHECK(text_of_refusal(foreign) ==
        "mithril.BackendError[E1080]: a DLPack tensor on CUDA device 1 cannot be imported as a "
        "tensor "
        "of the CPU\n  help: copy it to the CPU first");
}

TEST_CASE("a dtype that Mithril lacks is refused by its name") {
  Foreign foreign;
  const auto text = [&](DLDataType dtype) {
    foreign.managed.dl_tensor.dtype = dtype;
    return text_of_refusal(foreign);
  };
  CHECK(text({kDLUInt, 128, 1}) ==
        "mithril.TypeError[E0381]: a DLPack tensor of dtype uint128 cannot be imported\n"
        "  help: convert it to bool, an integer, float8, float16, bfloat16, float32 or float64 "
        "first");
  CHECK(text({kDLFloat, 32, 4}).find("dtype float32x4 ") != std::string::npos);
  CHECK(text({30, 8, 1}).find("dtype 'code 30, 8 bits' ") != std::string::npos);
}

TEST_CASE("narrow integers are imported as they are") {
  Foreign foreign;
  std::vector<std::uint8_t> bytes{0, 1, 127, 128, 200, 255};
  foreign.view({2, 2}, {3, 2});
  foreign.managed.dl_tensor.data = bytes.data();
  foreign.managed.dl_tensor.dtype = {kDLUInt, 8, 1};
  CHECK(identical(from_dlpack(&foreign.managed),
                  Tensor::of<std::uint8_t>({2, 2}, {0, 127, 128, 255})));
  foreign.managed.dl_tensor.dtype = {kDLInt, 8, 1};
  CHECK(identical(from_dlpack(&foreign.managed),
                  Tensor::of<std::int8_t>({2, 2}, {0, 127, -128, -1})));
  foreign.view({6}, {1});
  foreign.managed.dl_tensor.data = bytes.data();
  foreign.managed.dl_tensor.dtype = {kDLInt, 8, 1};
  const Tensor shared = from_dlpack(&foreign.managed);
  CHECK(shared.raw_data() == bytes.data());
  std::vector<std::int16_t> shorts{-32768, 32767};
  foreign.view({2}, {1});
  foreign.managed.dl_tensor.data = shorts.data();
  foreign.managed.dl_tensor.dtype = {kDLInt, 16, 1};
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of(shorts)));
}

TEST_CASE("unsigned integers keep their dtype") {
  Foreign foreign;
  std::vector<std::uint16_t> shorts{0, 1, 65535};
  foreign.view({2}, {2});
  foreign.managed.dl_tensor.data = shorts.data();
  foreign.managed.dl_tensor.dtype = {kDLUInt, 16, 1};
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of<std::uint16_t>({2}, {0, 65535})));
  CHECK(foreign.deleted == 1);
  std::vector<std::uint64_t> large{~std::uint64_t{0}};
  foreign.view({1}, {1});
  foreign.managed.dl_tensor.data = large.data();
  foreign.managed.dl_tensor.strides = nullptr;
  foreign.managed.dl_tensor.dtype = {kDLUInt, 64, 1};
  CHECK(identical(from_dlpack(&foreign.managed), Tensor::of(large)));
}

TEST_CASE("another major version is refused") {
  Foreign foreign;
  foreign.managed.version = {2, 3};
  CHECK(text_of_refusal(foreign) ==
        "mithril.BackendError[E1081]: a DLPack tensor of version 2.3 cannot be imported; expected "
        "1.x");
}

TEST_CASE("a malformed description is refused") {
  Foreign foreign;
  foreign.managed.dl_tensor.data = nullptr;
  CHECK(text_of_refusal(foreign) ==
        "mithril.BackendError[E1082]: a DLPack tensor of dims [3, 4] without data");
  foreign.managed.dl_tensor.shape = nullptr;
  CHECK(text_of_refusal(foreign) == "mithril.BackendError[E1082]: a DLPack tensor without a shape");
}

TEST_CASE("every dtype goes out and comes back sharing its elements") {
  for (const DType dtype : all_dtypes) {
    const Tensor tensor = Tensor::full(dtype, {2, 3}, 1.0);
    const Tensor again = from_dlpack(to_dlpack(tensor));
    CHECK(identical(again, tensor));
    CHECK(again.raw_data() == tensor.raw_data());
    if (bits_of(dtype) < 8) continue;
    const Tensor unversioned = from_dlpack(to_dlpack_unversioned(tensor));
    CHECK(unversioned.raw_data() == tensor.raw_data());
  }
}

TEST_CASE("an exported narrow tensor has the code of its sign and its bits") {
  const auto exported = [](DType dtype) {
    DLManagedTensor* managed = to_dlpack_unversioned(Tensor(dtype, {2}));
    const DLDataType described = managed->dl_tensor.dtype;
    managed->deleter(managed);
    return std::pair<int, int>(described.code, described.bits);
  };
  CHECK(exported(DType::int8) == std::pair<int, int>(kDLInt, 8));
  CHECK(exported(DType::int16) == std::pair<int, int>(kDLInt, 16));
  CHECK(exported(DType::uint8) == std::pair<int, int>(kDLUInt, 8));
}

TEST_CASE("an exported tensor describes itself as row-major on the CPU") {
  DLManagedTensorVersioned* managed = to_dlpack(Tensor(DType::bfloat16, {2, 3, 4}));
  const DLTensor& described = managed->dl_tensor;
  CHECK(described.device.device_type == kDLCPU);
  CHECK(described.ndim == 3);
  CHECK(described.dtype.code == kDLBfloat);
  CHECK(described.dtype.bits == 16);
  CHECK(Dims(described.shape, described.shape + 3) == Dims{2, 3, 4});
  CHECK(Dims(described.strides, described.strides + 3) == Dims{12, 4, 1});
  CHECK(managed->version.major == 1);
  CHECK(managed->flags == 0);
  managed->deleter(managed);
}

TEST_CASE("an exported scalar and an exported empty tensor come back") {
  CHECK(from_dlpack(to_dlpack(Tensor::scalar(3.0F))).item() == 3.0);
  CHECK(from_dlpack(to_dlpack(Tensor(DType::int64, {2, 0}))).dims() == Dims{2, 0});
}

TEST_CASE("an exported tensor outlives the tensor it came from") {
  DLManagedTensor* managed = to_dlpack_unversioned(Tensor::of<double>({2}, {1, 2}));
  CHECK(static_cast<const double*>(managed->dl_tensor.data)[1] == 2.0);
  managed->deleter(managed);
}

TEST_CASE("a read-only tensor is copied for receivers that cannot be told") {
  const float element = 1.0F;
  const Tensor tensor = Tensor::borrow(DType::float32, {1}, &element, nullptr);
  DLManagedTensor* managed = to_dlpack_unversioned(tensor);
  CHECK(managed->dl_tensor.data != &element);
  managed->deleter(managed);
}

}  // namespace mithril
