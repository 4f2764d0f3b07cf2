#include "runner/npz.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mithril::bench {
namespace {

constexpr size_t end_size = 22, longest_comment = 65535;  // of the record that ends an archive

// Reads arrays directly into their tensors, because the memory of this process is measured.
class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    file_.seekg(0, std::ios::end);
    size_ = file_ ? static_cast<size_t>(file_.tellg()) : 0;
    if (size_ < end_size) fail("is not an archive");
  }

  // Reads the central directory at the end, which has the offset of each array.
  std::map<std::string, Tensor> read() const {
    const size_t searched = std::min(size_, end_size + longest_comment);
    const size_t found = text(size_ - searched, searched).rfind("PK\5\6");
    if (found == std::string::npos) fail("is not an archive");
    const size_t end = size_ - searched + found;
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
    const bool first = number<uint8_t>(at + 6) == 1;
    const size_t length = first ? number<uint16_t>(at + 8) : number<uint32_t>(at + 8);
    const size_t header = at + (first ? 10 : 12);
    const std::string described = text(header, length);
    if (described.find("'fortran_order': False") == std::string::npos)
      fail("is in Fortran's order");
    Tensor tensor(dtype(described), dims(described));
    if (tensor.bytes() > 0) {
      copy(header + length, tensor.bytes(), static_cast<char*>(tensor.mutable_raw_data()));
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
    T value;
    copy(at, sizeof value, reinterpret_cast<char*>(&value));
    return value;
  }

  std::string text(size_t at, size_t length) const {
    std::string text(length, 0);
    copy(at, length, text.data());
    return text;
  }

  void copy(size_t at, size_t length, char* to) const {
    if (at > size_ || length > size_ - at) fail("ends too early");
    file_.seekg(static_cast<std::streamoff>(at));
    if (!file_.read(to, static_cast<std::streamsize>(length))) fail("cannot be read");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + " " + what);
  }

  std::string path_;
  mutable std::ifstream file_;
  size_t size_ = 0;
};

}  // namespace

std::map<std::string, Tensor> read_npz(const std::string& path) { return Archive(path).read(); }

}  // namespace mithril::bench
