// A temporary cache folder, removed by the destructor.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace mithril::tests {

class CacheFolder {
 public:
  CacheFolder() {
    const char* before = getenv("MITHRIL_CACHE_DIR");
    before_ = before ? before : "";
    std::string made = std::filesystem::temp_directory_path() / "mithril_cache_XXXXXX";
    REQUIRE(mkdtemp(made.data()));
    parent_ = made;
    use(path());
  }
  ~CacheFolder() {
    use(before_);
    std::error_code ignored;
    std::filesystem::remove_all(parent_, ignored);
  }

  std::string path() const { return parent_ + "/cache"; }
  static void use(const std::string& folder) { setenv("MITHRIL_CACHE_DIR", folder.c_str(), 1); }

  std::vector<std::string> files() const {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path(), none)) {
      found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string before_, parent_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void replace_contents(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace mithril::tests
