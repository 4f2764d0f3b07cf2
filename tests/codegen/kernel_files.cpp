#include "tests/codegen/kernel_files.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mithril::tests {

std::string contents_of_kernel_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void check_kernel_files(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& texts) {
  if (std::getenv("MITHRIL_WRITE_KERNELS")) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto& [name, text] : texts) std::ofstream(folder / (name + ".cu")) << text;
  }
  std::map<std::string, std::string> compiled;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    compiled[entry.path().stem().string()] = contents_of_kernel_file(entry.path());
  for (const auto& [kernel, text] : texts) {
    const std::string name = kernel;
    CAPTURE(name);
    CHECK(compiled.contains(name));
    if (compiled.contains(name)) CHECK(compiled.at(name) == text);
  }
  CHECK(compiled.size() == texts.size());
}

}  // namespace mithril::tests
