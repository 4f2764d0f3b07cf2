// Files in the safetensors format; python/tests/training/test_safetensors.py compares them with the
// package.
#include "mithril/serialization/safetensors.hpp"

#include <doctest/doctest.h>

#include <random>

#include "mithril/tensor/low_bit.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::contents;
using tests::FileFolder;
using tests::safetensors_bytes;
using tests::text_of_error;

TensorMap tensors_of_each_dtype() {
  TensorMap tensors;
  for (const DType dtype : all_dtypes) {
    if (is_low_bit(dtype)) continue;
    Tensor tensor(dtype, {3, 5});
    visit_dtype(dtype, [&](auto zero) {
      using T = decltype(zero);
      int i = 0;
      for (T& element : tensor.mutable_values<T>()) element = static_cast<T>(i++ % 3);
    });
    tensors[std::string(name(dtype))] = tensor;
  }
  tensors["scalar"] = Tensor::scalar(2.5F);
  tensors["empty"] = Tensor(DType::int32, {0, 4});
  return tensors;
}

void check_equal(const TensorMap& a, const TensorMap& b) {
  CHECK(a.keys() == b.keys());
  for (const auto& [key, tensor] : a) CHECK(identical(tensor, b.at(key)));
}

}  // namespace

TEST_CASE("a file of tensors of each dtype is read as it was written") {
  const FileFolder folder;
  const std::string path = folder.at("file");
  const TensorMap tensors = tensors_of_each_dtype();
  CHECK(save_safetensors(path, tensors, {.metadata = {{"format", "mithril"}}}) == path);
  const LoadedTensors loaded = load_safetensors(path);
  check_equal(tensors, loaded.tensors);
  CHECK(loaded.metadata == FileMetadata{{"format", "mithril"}});
}

TEST_CASE("tensors share their elements with the file, keep it mapped, and leave it as it is") {
  const FileFolder folder;
  const std::string path = folder.at("file");
  save_safetensors(path, {{"a", Tensor::full(DType::float32, {1000}, 3)}});
  const std::string before = contents(path);
  Tensor first, second;
  {
    const SafetensorsFile file = SafetensorsFile::open(path);
    first = file.tensor("a");
    second = file.tensor("a");
  }
  CHECK(first.raw_data() == second.raw_data());
  CHECK(reinterpret_cast<std::uintptr_t>(first.raw_data()) % 64 == 0);
  first.mutable_data<float>()[7] = 5;
  CHECK(second.data<float>()[7] == 5);
  CHECK(contents(path) == before);
  std::filesystem::remove(path);
  CHECK(second.data<float>()[999] == 3);
}

TEST_CASE("unaligned elements are copied") {
  const FileFolder folder;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F64","shape":[2],"data_offsets":[1,17]}})";
  std::string data(17, '\0');
  data[0] = 9;
  data[8] = 0x40;  // the last byte of 2.0
  const std::string path = folder.write("file", safetensors_bytes(header, data));
  const TensorMap tensors = load_safetensors(path).tensors;
  CHECK(identical(tensors.at("a"), Tensor::of<std::uint8_t>({1}, {9})));
  CHECK(identical(tensors.at("b"), Tensor::of<double>({2}, {2, 0})));
}

TEST_CASE("shards hold at most the stated bytes, and are read through their index") {
  const FileFolder folder;
  const TensorMap tensors = tensors_of_each_dtype();
  const std::string index =
      save_safetensors(folder.at("model.safetensors"), tensors, {.max_shard_bytes = 100});
  CHECK(index == folder.at("model.safetensors.index.json"));
  check_equal(tensors, load_safetensors(index).tensors);
  check_equal(tensors, load_safetensors(folder.at("")).tensors);
  size_t shards = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at(""))) {
    if (entry.path() == index) continue;
    ++shards;
    const SafetensorsFile shard = SafetensorsFile::open(entry.path());
    std::uint64_t bytes = 0;
    for (const StoredTensor& stored : shard.stored()) bytes += stored.end - stored.begin;
    CHECK((bytes <= 100 || shard.stored().size() == 1));
  }
  CHECK(shards > 3);
}

TEST_CASE("a float8 type rounds to the nearest value that it has") {
  const FileFolder folder;
  std::mt19937 draw(5);
  std::normal_distribution<float> normal(0, 3);
  Tensor floats = Tensor::empty(DType::float32, {500});
  for (float& element : floats.mutable_values<float>()) element = normal(draw);
  for (const StorageType type : {StorageType::float8_e5m2, StorageType::float8_e4m3,
                                 StorageType::float8_e4m3fnuz, StorageType::float8_e5m2fnuz}) {
    save_safetensors(folder.at("file"), {{"a", floats}}, {.types = {{"a", type}}});
    const SafetensorsFile file = SafetensorsFile::open(folder.at("file"));
    CHECK(file.stored().front().type == type);
    CHECK(file.tensor("a").dtype() == same_dtype(type));
    const Tensor read = file.tensor("a").to(DType::float32);
    for (int i = 0; i < 500; ++i) {
      const float given = floats.data<float>()[i], got = read.data<float>()[i];
      for (const float value : numbers_of(*same_dtype(type))) {
        if (std::isfinite(value)) CHECK(std::abs(got - given) <= std::abs(value - given));
      }
    }
  }
}

TEST_CASE("float4 elements are packed in a file, and need full bytes") {
  const FileFolder folder;
  const Tensor x = Tensor::of<float>({2, 2}, {0.5, -6, 3, 1}).to(DType::float4_e2m1fn);
  save_safetensors(folder.at("file"), {{"x", x}});
  const SafetensorsFile file = SafetensorsFile::open(folder.at("file"));
  CHECK(file.stored().front().end == 2);
  CHECK(identical(file.tensor("x"), x));
  CHECK(text_of_error([&] {
          save_safetensors(folder.at("odd"), {{"x", Tensor(DType::float4_e2m1fn, {3})}});
        }) ==
        "mithril.ValueError[E0491]: x: the tensor cannot be stored as F4\n"
        "  got : float4_e2m1fn[3]\n"
        "  help: leave it out of the types, or choose a wider one");
}

TEST_CASE("integers of 4 and 2 bits have no type in a file") {
  const FileFolder folder;
  CHECK(text_of_error([&] {
          save_safetensors(folder.at("file"), {{"x", Tensor(DType::uint4, {2})}});
        }) ==
        "mithril.TypeError[E1368]: safetensors files have no type for tensors of uint4\n"
        "  help: cast them to uint8 first");
}

}  // namespace mithril
