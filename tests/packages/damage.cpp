// Damaged packages: each one is refused with an error that names a file, or is as good as before.
// MITHRIL_DAMAGED_PACKAGES=10000 tries as many; the default is a sample.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "tests/packages/edit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril {
namespace {

using namespace tests;
using Random = std::mt19937_64;

size_t below(Random& random, size_t end) { return end == 0 ? 0 : random() % end; }

// Pieces of JSON and numbers that parsers dislike.
const char* const hostile[] = {"null",
                               "-1",
                               "9223372036854775807",
                               "1e999",
                               "[]",
                               "{}",
                               "\"\"",
                               "[[[[[[[[",
                               "\"\\ud800\"",
                               "{\"name\": \"Linear\"}",
                               "true",
                               "../",
                               "18446744073709551615",
                               "\xff\xfe",
                               "4294967296",
                               "\"x\""};

void change_bytes(std::string& bytes, Random& random) {
  const size_t at = below(random, bytes.size()), length = 1 + below(random, 16);
  switch (random() % 7) {
    case 0:
      bytes.resize(at);
      return;
    case 1:
      if (!bytes.empty()) bytes[at] = static_cast<char>(random());
      return;
    case 2:
      bytes.erase(at, length);
      return;
    case 3:
      bytes.insert(at, hostile[random() % std::size(hostile)]);
      return;
    case 4:
      bytes.insert(at, bytes.substr(below(random, bytes.size()), length));
      return;
    case 5:
      bytes += std::string(length, static_cast<char>(random()));
      return;
    default: {  // a value of JSON
      const size_t colon = bytes.find(": ", at);
      if (colon == std::string::npos) return;
      const size_t end = bytes.find_first_of(",}]\n", colon);
      bytes.replace(colon + 2, end - colon - 2, hostile[random() % std::size(hostile)]);
    }
  }
}

void damage(PackageEdit& edit, Random& random) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : edit.files) names.push_back(name);
  const std::string name = names[random() % names.size()];
  const std::string other = names[random() % names.size()];
  switch (random() % 8) {
    case 0:
      edit.files.erase(name);
      break;
    case 1:
      std::swap(edit.files[name], edit.files[other]);
      break;
    case 2:
      edit.files["new/" + name] = edit.files[other];
      break;
    default:
      for (size_t i = 0; i <= random() % 3; ++i) change_bytes(edit.files[name], random);
  }
  const bool lists_again = random() % 2 == 0;
  if (lists_again && name != "metadata.json") edit.list_again();
}

// What is wrong with how the package was read; empty: nothing.
std::string fault_of(const std::string& path, const LoadPackageOptions& options) {
  try {
    const Package package = load_package(path, options);
    const CompiledModel compiled = package.compile(cpu());
    static_cast<void>(package.state());
    return "";
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.find(path) == std::string::npos ? "names no file: " + text : "";
  } catch (const std::exception& error) {
    return std::string("not an Error: ") + error.what();
  }
}

}  // namespace

TEST_CASE("a damaged package is refused with an error that names a file") {
  const FileFolder folder;
  const std::string path =
      sample_package(folder, "p", {.backends = {{.name = "cpu", .options = "{\"threads\": 1}"}}});
  const PackageEdit whole(path);
  const char* asked = std::getenv("MITHRIL_DAMAGED_PACKAGES");
  const std::uint64_t count = asked ? std::strtoull(asked, nullptr, 10) : 200;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed);
    PackageEdit edit = whole;
    damage(edit, random);
    edit.write();
    const LoadPackageOptions options{
        .checks = seed % 2 == 0 ? PackageChecks::full : PackageChecks::lazy,
        .allow_native_code = seed % 4 < 2};
    const std::string fault = fault_of(path, options);
    CAPTURE(seed);
    CHECK(fault == "");
  }
}

TEST_CASE("a damaged archive is refused with an error that names it") {
  const FileFolder folder;
  copy_package(sample_package(folder), folder.at("whole.zip"));
  const std::string whole = PackageEdit::contents(folder.at("whole.zip"));
  const char* asked = std::getenv("MITHRIL_DAMAGED_PACKAGES");
  const std::uint64_t count = asked ? std::strtoull(asked, nullptr, 10) : 200;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed);
    std::string bytes = whole;
    for (size_t i = 0; i <= random() % 3; ++i) change_bytes(bytes, random);
    const std::string fault = fault_of(folder.write("p.zip", bytes), {});
    CAPTURE(seed);
    CHECK(fault == "");
  }
}

}  // namespace mithril
