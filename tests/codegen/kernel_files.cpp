#include "tests/codegen/kernel_files.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mithril::tests {
namespace {

// Replaces the folder by one with these texts.
void write_kernel_files(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& texts) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : texts) std::ofstream(folder / (name + ".cu")) << text;
}

}  // namespace

std::string contents_of_kernel_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void check_kernel_files(const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& texts,
                        const std::vector<std::string>& kept) {
  if (const char* all = std::getenv("MITHRIL_CUDA_KERNELS"))
    write_kernel_files(std::filesystem::path(all) / folder.filename(), texts);
  std::map<std::string, std::string> expected, files;
  for (const std::string& name : kept) {
    CAPTURE(name);
    REQUIRE(texts.contains(name));
    expected[name] = texts.at(name);
  }
  if (std::getenv("MITHRIL_WRITE_KERNELS")) write_kernel_files(folder, expected);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().stem().string()] = contents_of_kernel_file(entry.path());
  for (const auto& [kernel, text] : expected) {
    const std::string name = kernel;
    CAPTURE(name);
    CHECK(files.contains(name));
    if (files.contains(name)) CHECK(files.at(name) == text);
  }
  CHECK(files.size() == expected.size());
}

}  // namespace mithril::tests
