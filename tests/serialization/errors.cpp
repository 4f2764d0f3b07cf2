// Errors of files that cannot be read or written.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "mithril/serialization/safetensors.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::safetensors_bytes;

std::string refusal(const std::string& bytes) {
  const FileFolder folder;
  const std::string path = folder.write("model.safetensors", bytes);
  return folder.error([&] { load_safetensors(path); });
}

std::string refusal_of(const std::string& tensor, size_t data_bytes) {
  return refusal(safetensors_bytes("{\"w\":" + tensor + "}", std::string(data_bytes, '\0')));
}

std::string index_refusal(const std::string& text) {
  const FileFolder folder;
  save_safetensors(folder.at("one.safetensors"), {{"a", Tensor(DType::float32, {2})}});
  const std::string path = folder.write("model.safetensors.index.json", text);
  return folder.error([&] { load_safetensors(path); });
}

}  // namespace

TEST_CASE("a file that cannot be read is refused") {
  const FileFolder folder;
  CHECK(folder.error([&] { load_safetensors(folder.at("model.safetensors")); }) ==
        "mithril.InputError[E0830]: model.safetensors: the file cannot be read\n"
        "  why : No such file or directory");
  CHECK(tests::text_of_error([] { SafetensorsFile::open("/"); }) ==
        "mithril.InputError[E0830]: /: the file cannot be read\n"
        "  why : Is a directory");
  CHECK(tests::text_of_error([] { load_safetensors("/dev/null"); }) ==
        "mithril.InputError[E0830]: /dev/null: the file cannot be read\n"
        "  why : Not a regular file");
  CHECK(tests::text_of_error([] { load_safetensors(std::string("a\0b", 3)); }) ==
        "mithril.InputError[E0830]: a\\x00b: the file cannot be read\n"
        "  why : Invalid argument");
  // The system ends the path at the zero byte, and finds this folder for every longer one.
  std::filesystem::create_directory(folder.at("a"));
  CHECK(folder.error([&] { load_safetensors(folder.at("a") + std::string("\0b", 2)); }) ==
        "mithril.InputError[E0830]: a\\x00b/model.safetensors: the file cannot be read\n"
        "  why : Invalid argument");
}

TEST_CASE("a file that cannot be written is refused") {
  CHECK(tests::text_of_error([] { save_safetensors("/nowhere/model.safetensors", TensorMap()); }) ==
        "mithril.InputError[E0831]: /nowhere/model.safetensors: the file cannot be written\n"
        "  why : No such file or directory");
}

TEST_CASE("a header length that does not fit the file is refused") {
  CHECK(refusal("1234") ==
        "mithril.ParseError[E0740]: model.safetensors: the file has no header of a safetensors "
        "file\n"
        "  expected : 8 bytes with the length of the header\n"
        "  got      : a file of 4 bytes");
  CHECK(refusal(safetensors_bytes("{}").substr(0, 9)) ==
        "mithril.ParseError[E0740]: model.safetensors: the file has no header of a safetensors "
        "file\n"
        "  expected : a header of at most 1 bytes, which the file has after it\n"
        "  got      : a length of 2 bytes");
  CHECK(refusal("<html>  ") ==
        "mithril.ParseError[E0740]: model.safetensors: the file has no header of a safetensors "
        "file\n"
        "  expected : a header of at most 100000000 bytes\n"
        "  got      : a length of 2314918843882170428 bytes");
}

TEST_CASE("a header that is not in the format is refused") {
  CHECK(refusal(safetensors_bytes("[]")) ==
        "mithril.ParseError[E0741]: model.safetensors: the header is not that of a safetensors "
        "file\n"
        "  expected : an object\n"
        "  at       : byte 0 of the header");
  CHECK(refusal(safetensors_bytes("{\"\xff\":1}")) ==
        "mithril.ParseError[E0741]: model.safetensors: the header is not that of a safetensors "
        "file\n"
        "  expected : UTF-8\n"
        "  at       : byte 2 of the header");
  CHECK(refusal_of(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4) ==
        "mithril.ParseError[E0741]: model.safetensors: the header does not describe the tensor "
        "'w'\n"
        "  expected : an integer of 64 bits without a sign before this\n"
        "  at       : byte 31 of the header");
}

TEST_CASE("an unknown dtype in a file is refused") {
  CHECK(refusal_of(R"({"dtype":"F33","shape":[1],"data_offsets":[0,4]})", 4) ==
        "mithril.ParseError[E0742]: model.safetensors: the tensor 'w' has the unknown dtype 'F33'\n"
        "  known : BOOL, F4, F6_E2M3, F6_E3M2, U8, I8, F8_E5M2, F8_E4M3, F8_E8M0, F8_E4M3FNUZ, "
        "F8_E5M2FNUZ, I16, U16, F16, BF16, I32, U32, F32, C64, F64, I64, U64\n"
        "  help: did you mean 'F32'?");
}

TEST_CASE("offsets and sizes that do not fit are refused") {
  CHECK(refusal_of(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", 8) ==
        "mithril.ParseError[E0743]: model.safetensors: the data_offsets of the tensor 'w' leave a "
        "hole or overlap\n"
        "  expected : a begin at 0 and an end after it\n"
        "  got      : [4, 8]");
  CHECK(refusal_of(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,20]})", 20) ==
        "mithril.ParseError[E0744]: model.safetensors: the tensor 'w' has another size than its "
        "dims\n"
        "  dims : F32[2, 3]   192 bits\n"
        "  got  : 20 bytes");
  CHECK(refusal_of(R"({"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})", 20) ==
        "mithril.ParseError[E0745]: model.safetensors: the file is cut in the tensor 'w'\n"
        "  expected : 24 bytes   F32[2, 3]\n"
        "  got      : 20 bytes\n"
        "  help: copy or download the file again");
  CHECK(refusal_of(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", 5) ==
        "mithril.ParseError[E0746]: model.safetensors: the file does not end with its last tensor\n"
        "  expected : 4 bytes of data\n"
        "  got      : 5 bytes");
}

TEST_CASE("a malformed index, or one that does not match its shards, is refused") {
  CHECK(index_refusal("{\"weights\":{}}") ==
        "mithril.ParseError[E0747]: model.safetensors.index.json: the file is not an index of "
        "safetensors files\n"
        "  expected : a weight_map before this\n"
        "  at       : byte 14");
  CHECK(index_refusal(R"({"weight_map":{"b":"one.safetensors"}})") ==
        "mithril.ParseError[E0747]: model.safetensors.index.json: the tensor 'b' is not in its "
        "shard\n"
        "  shard : one.safetensors");
  CHECK(index_refusal(R"({"weight_map":{"a":"../one.safetensors"}})") ==
        "mithril.ParseError[E0747]: model.safetensors.index.json: the shard of the tensor 'a' is "
        "not a file of this folder\n"
        "  shard : ../one.safetensors");
  CHECK(index_refusal(R"({"weight_map":{"a":"two.safetensors"}})") ==
        "mithril.InputError[E0830]: two.safetensors: the file cannot be read\n"
        "  why : No such file or directory");
}

TEST_CASE("tensors that Mithril cannot represent are refused") {
  const std::string help = "\n  help: store it with another dtype or shape";
  CHECK(refusal_of(R"({"dtype":"C64","shape":[1],"data_offsets":[0,8]})", 8) ==
        "mithril.ParseError[E0748]: model.safetensors: no tensor of Mithril can hold 'w'\n"
        "  stored : C64[1]" +
            help);
  CHECK(refusal_of(R"({"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]})", 0) ==
        "mithril.ParseError[E0748]: model.safetensors: no tensor of Mithril can hold 'w'\n"
        "  stored : F32[0, 9223372036854775807]" +
            help);
}

TEST_CASE("tensors that a file cannot hold are refused") {
  const FileFolder folder;
  const std::string path = folder.at("model.safetensors");
  const Tensor ones = Tensor::full(DType::float32, {2}, 300);
  CHECK(folder.error([&] {
    save_safetensors(path, {{"__metadata__", ones}});
  }) == "mithril.ValueError[E0489]: '__metadata__' cannot be the name of a tensor of a safetensors "
        "file\n"
        "  expected : UTF-8, and another name than __metadata__");
  CHECK(folder.error([&] {
    save_safetensors(path, {{"\xff", ones}});
  }) == "mithril.ValueError[E0489]: '\\xff' cannot be the name of a tensor of a safetensors file\n"
        "  expected : UTF-8, and another name than __metadata__");
  // The name is in the second shard, and the first one is not written.
  CHECK(folder.error([&] {
    save_safetensors(path, {{"a", ones}, {"\xff", ones}}, {.max_shard_bytes = 8});
  }) == "mithril.ValueError[E0489]: '\\xff' cannot be the name of a tensor of a safetensors file\n"
        "  expected : UTF-8, and another name than __metadata__");
  CHECK(!std::filesystem::exists(folder.at("model-00001-of-00002.safetensors")));
  const std::string long_name(100'000'000, 'x');
  CHECK(folder.error([&] {
    save_safetensors(path, {{long_name, ones}});
  }) == "mithril.ValueError[E0490]: model.safetensors: the names and the metadata are longer than "
        "a header of a safetensors file\n"
        "  expected : at most 100000000 bytes\n"
        "  got      : 100000056 bytes");
  const SafetensorsOptions options{.types = {{"w", StorageType::uint8}}};
  CHECK(folder.error([&] {
    save_safetensors(path, {{"w", ones}}, options);
  }) == "mithril.ValueError[E0491]: w: the tensor cannot be stored as U8\n"
        "  got : 300 at element 0\n"
        "  help: leave it out of the types, or choose a wider one");
  CHECK(!std::filesystem::exists(path));
}

}  // namespace mithril
