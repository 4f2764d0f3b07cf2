// Changes the files of a package, as damage or an attacker would.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "mithril/base/sha256.hpp"

namespace mithril::tests {

class PackageEdit {
 public:
  explicit PackageEdit(const std::string& path) : path_(path) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      files[std::filesystem::relative(entry.path(), path).string()] =
          contents(entry.path().string());
    }
  }

  std::map<std::string, std::string> files;

  void replace(const std::string& name, const std::string& from, const std::string& to) {
    const size_t at = files.at(name).find(from);
    REQUIRE(at != std::string::npos);
    files[name].replace(at, from.size(), to);
  }

  // Writes metadata.json so that sizes and checksums fit the files again.
  void list_again() {
    std::string list;
    for (const auto& [name, bytes] : files) {
      if (name == "metadata.json") continue;
      list +=
          fmt::format("{}\"{}\": {{\"size\": {}, \"sha256\": \"{}\"}}", list.empty() ? "" : ", ",
                      name, bytes.size(), sha256_of(std::as_bytes(std::span(bytes))));
    }
    files["metadata.json"] =
        "{\"format_version\": 1, \"name\": \"p\", \"revision\": \"1\", \"created_at\": \"\", "
        "\"files\": {" +
        list + "}}";
  }

  void write() const { write_to(path_); }
  void write_to(const std::string& path) const {
    std::filesystem::remove_all(path);
    for (const auto& [name, bytes] : files) {
      const std::filesystem::path at = std::filesystem::path(path) / name;
      std::filesystem::create_directories(at.parent_path());
      std::ofstream(at, std::ios::binary) << bytes;
    }
  }

  static std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

}  // namespace mithril::tests
