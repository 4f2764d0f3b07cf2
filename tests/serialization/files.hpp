// A temporary folder with files of tensors, and the text of errors about them.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/compile/cache_folder.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {

class FileFolder {
 public:
  FileFolder() { REQUIRE(mkdtemp(path_.data())); }
  ~FileFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FileFolder(const FileFolder&) = delete;
  FileFolder& operator=(const FileFolder&) = delete;

  std::string at(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    replace_contents(at(name), bytes);
    return at(name);
  }

  // The text of the error, with paths relative to this folder.
  template <typename Call>
  std::string error(Call call) const {
    std::string text = text_of_error(call);
    for (size_t at; (at = text.find(path_ + "/")) != std::string::npos;) {
      text.erase(at, path_.size() + 1);
    }
    return text;
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "mithril_tensors_XXXXXX";
};

// The pages of the file that this process has in memory, by /proc/self/smaps.
inline int resident_kilobytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  int total = 0;
  bool is_of_file = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_of_file = line.ends_with(path);
    if (is_of_file && line.starts_with("Rss:")) total += std::stoi(line.substr(4));
  }
  return total;
}

// A file in the safetensors format with this header.
inline std::string safetensors_bytes(const std::string& header, const std::string& data = "") {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return length + header + data;
}

}  // namespace mithril::tests
