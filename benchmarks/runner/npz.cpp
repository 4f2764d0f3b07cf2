#include "runner/npz.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace mithril::bench {
namespace {

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() < 22) fail("is no archive");
  }

  // The central directory at the end says where each array begins.
  std::map<std::string, Tensor> read() const {
    const size_t end = std::string_view(bytes_).rfind("PK\5\6");
    if (end == std::string::npos) fail("is no archive");
    const auto count = number<uint16_t>(end + 10);
    size_t at = number<uint32_t>(end + 16);
    std::map<std::string, Tensor> arrays;
    for (int i = 0; i < count; ++i) {
      if (number<uint16_t>(at + 10) != 0) fail("is compressed");
      const size_t name = number<uint16_t>(at + 28);
      const size_t rest = number<uint16_t>(at + 30) + size_t{number<uint16_t>(at + 32)};
      std::string key = text(at + 46, name);
      if (key.ends_with(".npy")) key.resize(key.size() - 4);
      const size_t local = number<uint32_t>(at + 42);
      arrays.emplace(
          key, array(local + 30 + number<uint16_t>(local + 26) + number<uint16_t>(local + 28)));
      at += 46 + name + rest;
    }
    return arrays;
  }

 private:
  Tensor array(size_t at) const {
    if (text(at, 6) != "\x93NUMPY") fail("holds what is no array");
    const bool first = bytes_.at(at + 6) == 1;
    const size_t length = first ? number<uint16_t>(at + 8) : number<uint32_t>(at + 8);
    const size_t header = at + (first ? 10 : 12);
    const std::string described = text(header, length);
    if (described.find("'fortran_order': False") == std::string::npos)
      fail("is in Fortran's order");
    Tensor tensor(dtype(described), dims(described));
    if (header + length + tensor.bytes() > bytes_.size()) fail("ends too early");
    if (tensor.bytes() > 0) {
      std::memcpy(tensor.mutable_raw_data(), bytes_.data() + header + length, tensor.bytes());
    }
    return tensor;
  }

  DType dtype(const std::string& described) const {
    const std::pair<const char*, DType> known[] = {{"'<f4'", DType::float32},
                                                   {"'<f8'", DType::float64},
                                                   {"'<i4'", DType::int32},
                                                   {"'<i8'", DType::int64}};
    for (const auto& [text, dtype] : known) {
      if (described.find(text) != std::string::npos) return dtype;
    }
    fail("holds an unknown dtype: " + described);
  }

  Dims dims(const std::string& described) const {
    const size_t begin = described.find('(', described.find("'shape'"));
    std::istringstream numbers(described.substr(begin + 1, described.find(')', begin) - begin - 1));
    Dims dims;
    for (std::string item; std::getline(numbers, item, ',');) {
      if (item.find_first_not_of(' ') != std::string::npos) dims.push_back(std::stoll(item));
    }
    return dims;
  }

  template <typename T>
  T number(size_t at) const {
    if (at + sizeof(T) > bytes_.size()) fail("ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::string text(size_t at, size_t length) const {
    if (at + length > bytes_.size()) fail("ends too early");
    return bytes_.substr(at, length);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + " " + what);
  }

  std::string path_, bytes_;
};

}  // namespace

std::map<std::string, Tensor> read_npz(const std::string& path) { return Archive(path).read(); }

}  // namespace mithril::bench
