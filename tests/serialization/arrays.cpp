// Files of NumPy and PyTorch in C++; python/tests/training/test_checkpoints.py and
// test_torch_files.py have more.
#include <doctest/doctest.h>

#include "mithril/serialization/inflate.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/write_npy.hpp"
#include "mithril/training/checkpoint.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;

std::string little_endian(size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

// An archive of entries that are not compressed.
std::string zip_bytes(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes, directory;
  for (const auto& [name, content] : entries) {
    const std::string common = little_endian(20, 2) + std::string(8, '\0') +
                               little_endian(crc32_of(std::as_bytes(std::span(content))), 4) +
                               little_endian(content.size(), 4) + little_endian(content.size(), 4) +
                               little_endian(name.size(), 2) + std::string(2, '\0');
    directory += "PK\1\2" + little_endian(20, 2) + common + std::string(10, '\0') +
                 little_endian(bytes.size(), 4) + name;
    bytes += "PK\3\4" + common + name + content;
  }
  const std::string count = little_endian(entries.size(), 2);
  return bytes + directory + "PK\5\6" + std::string(4, '\0') + count + count +
         little_endian(directory.size(), 4) + little_endian(bytes.size(), 4) + std::string(2, '\0');
}

std::string npy_bytes(const std::string& header, const std::string& elements) {
  return "\x93NUMPY\1" + std::string(1, '\0') + little_endian(header.size(), 2) + header + elements;
}

std::optional<std::string> inflated_text(const std::string& data, size_t bytes) {
  const auto made = inflated(std::as_bytes(std::span(data)), bytes);
  if (!made) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(made->data()), made->size());
}

}  // namespace

TEST_CASE("deflate data of another size or form is refused") {
  const std::string data("\x4b\x4c\x84\x01\x00", 5);
  CHECK(inflated_text(data, 10) == "aaaaaaaaaa");
  CHECK(!inflated_text(data, 9));
  CHECK(!inflated_text(data, 11));
  CHECK(!inflated_text(data.substr(0, 2), 10));
  CHECK(!inflated_text("\x07", 0));
  CHECK(!inflated_text(data, size_t{1} << 60));
  const std::string digits = "123456789";
  CHECK(crc32_of(std::as_bytes(std::span(digits))) == 0xCBF43926);
}

TEST_CASE("elements of few bits have the type V1 in .npy files") {
  const FileFolder folder;
  for (const DType dtype : low_bit_dtypes) {
    CAPTURE(name(dtype));
    Tensor codes(dtype, {2, 2});
    auto* bytes = static_cast<std::uint8_t*>(codes.mutable_raw_data());
    for (const std::uint8_t code : {1, 2, 3, 0}) *bytes++ = code;
    save_npy(folder.at("codes.npy"), codes);
    CHECK(identical(load_npy(folder.at("codes.npy"), dtype), codes));
    CHECK(folder.error([&] { load_npy(folder.at("codes.npy")); }) ==
          "mithril.ParseError[E0748]: codes.npy: no tensor of Mithril can hold 'array'\n"
          "  stored : |V1[2, 2]\n"
          "  help: store it with another dtype or shape");
  }
}

TEST_CASE("a .npz file is read as a checkpoint of parameters") {
  const FileFolder folder;
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n";
  std::string elements;
  for (size_t i = 1; i <= 4; ++i) elements += little_endian(i, 4);
  const std::string path = folder.write(
      "a.npz",
      zip_bytes({{"w.npy", npy_bytes(header, elements)}, {"v.npy", npy_bytes(header, elements)}}));
  const Checkpoint loaded = load(path);
  CHECK(loaded.params.keys() == std::vector<std::string>{"w", "v"});
  CHECK(identical(loaded.params.at("w"), Tensor::of<int32_t>({2, 2}, {1, 2, 3, 4})));
  CHECK(!loaded.model);
  const std::string short_one =
      folder.write("b.npz", zip_bytes({{"w.npy", npy_bytes(header, elements.substr(4))}}));
  CHECK(folder.error([&] { load_npz(short_one); }) ==
        "mithril.ParseError[E0750]: b.npz: the file is not a .npz file of arrays\n"
        "  why : 'w' is an array of 16 bytes with 12 bytes of elements");
}

TEST_CASE("entries of an archive that overlap are refused") {
  const FileFolder folder;
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
  std::string bytes =
      zip_bytes({{"v.npy", npy_bytes(header, "ab")}, {"w.npy", npy_bytes(header, "cd")}});
  CHECK(load_npz(folder.write("a.npz", bytes)).keys().size() == 2);
  // Both records of the directory name the first entry.
  const size_t second = bytes.rfind("PK\1\2");
  bytes.replace(second + 42, 4, std::string(4, '\0'));
  const std::string path = folder.write("b.npz", bytes);
  CHECK(folder.error([&] { load_npz(path); }) ==
        "mithril.ParseError[E0750]: b.npz: the file is not a .npz file of arrays\n"
        "  why : its entries overlap");
}

namespace {

std::string with_zeros(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '~' ? '\0' : c;
  return made;
}

// _rebuild_tensor_v2(storage "0" of two floats, 0, (2,), (1,))
const std::string pickled_tensor = with_zeros(
    "ctorch._utils\n_rebuild_tensor_v2\n((X\7~~~storagectorch\nFloatStorage\nX\1~~~0X\3~~~"
    "cpuK\2tQK~"
    "K\2\x85K\1\x85tR");

std::string torch_file(const std::string& pickle) {
  const float values[] = {1.5F, -2};
  const std::string elements(reinterpret_cast<const char*>(values), sizeof(values));
  return zip_bytes({{"a/data.pkl", pickle}, {"a/data/0", elements}});
}

std::string text_opcode(const std::string& text) {
  return "X" + little_endian(text.size(), 4) + text;
}

}  // namespace

TEST_CASE("a pickle cannot multiply its values") {
  const FileFolder folder;
  const auto why = [&](const std::string& pickle) {
    const std::string path = folder.write("a.pt", torch_file("\x80\2" + pickle + "."));
    const std::string error = folder.error([&] { load_torch(path); });
    return error.substr(std::min(error.size(), error.find("why : ")));
  };
  SUBCASE("by a dict that contains itself") {
    CHECK(why("}q" + std::string(1, '\0') + "X" + little_endian(1, 4) + "ah" +
              std::string(1, '\0') + "s") ==
          "why : its pickle is damaged: its dicts are nested too deep");
  }
  SUBCASE("by dicts that contain one dict twice") {
    std::string pickle = "}q" + std::string(1, '\0');
    for (size_t i = 1; i < 40; ++i) {
      const std::string inner = "h" + little_endian(i - 1, 1) + "s";
      pickle +=
          "}" + text_opcode("a") + inner + text_opcode("b") + inner + "q" + little_endian(i, 1);
    }
    CHECK(why(pickle) == "why : its pickle is damaged: its dicts have too many items");
  }
  SUBCASE("by long names") {
    std::string pickle = "}" + text_opcode(std::string(1U << 16U, 'x')) + "}(";
    for (int i = 0; i < 1100; ++i)
      pickle += text_opcode(std::to_string(i)) + (i == 0 ? pickled_tensor + "q\5" : "h\5");
    CHECK(why(pickle + "us") ==
          "why : its pickle is damaged: the names of its tensors are too long");
  }
  SUBCASE("by long names of types") {
    const std::string text = text_opcode(std::string(2000, 'x'));
    CHECK(why(text + text + "\x93") ==
          "why : its pickle is damaged: the name of a type or a storage is too long");
  }
}

TEST_CASE("a .pt file is read without running its code") {
  const FileFolder folder;
  const std::string& tensor = pickled_tensor;  // {"w": tensor}
  const std::string pickle = with_zeros("\x80\2}X\1~~~w") + tensor + "s.";
  const std::string path = folder.write("a.pt", torch_file(pickle));
  CHECK(identical(load_torch(path).at("w"), Tensor::of<float>({2}, {1.5F, -2})));
  const std::string code = folder.write("b.pt", zip_bytes({{"b/data.pkl", "cos\nsystem\n(tR."}}));
  CHECK(folder.error([&] { load(code); }) ==
        "mithril.ParseError[E0753]: b.pt: the pickle calls os.system\n"
        "  why : no code of a file runs");
}

}  // namespace mithril
