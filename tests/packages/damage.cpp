// Damaged packages: each one is refused with an error that names a damaged file, or nothing that a
// checksum covers has changed. MITHRIL_DAMAGED_PACKAGES=10000 sets their number; the default is a
// sample.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>

#include "tests/packages/edit.hpp"
#include "tests/packages/sample.hpp"

namespace mithril {
namespace {

using namespace tests;
using Engine = std::mt19937_64;

size_t below(Engine& random, size_t end) { return end == 0 ? 0 : random() % end; }

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

void change_bytes(std::string& bytes, Engine& random) {
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

// The files in which the packages differ.
std::set<std::string> different_files(const PackageEdit& a, const PackageEdit& b) {
  std::set<std::string> names;
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto& [name, bytes] : from->files) {
      const auto other = to->files.find(name);
      if (other == to->files.end() || other->second != bytes) names.insert(name);
    }
  }
  return names;
}

struct Damage {
  std::set<std::string> files;
  bool is_listed = false;  // whether metadata.json has the checksums of the damaged files
};

Damage damage(PackageEdit& edit, Engine& random) {
  const PackageEdit whole = edit;
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
  Damage done{.files = different_files(whole, edit)};
  done.is_listed = random() % 2 == 0 && name != "metadata.json";
  if (done.is_listed) {
    edit.list_again();
    done.files.erase("metadata.json");
  }
  return done;
}

// Returns whether the error names one of the files. Errors about a file and its line in
// metadata.json name both.
bool names_one_of(const std::string& error, const std::string& path,
                  const std::set<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& name) {
    return error.find(path + "/" + name) != std::string::npos ||
           (name == "metadata.json" && error.find(name) != std::string::npos);
  });
}

struct Reading {
  std::optional<Package> package;  // if it was loaded, compiled, and its tensors were read
  std::string error = {};
  bool is_typed = true;
};

Reading read(const std::string& path, const LoadPackageOptions& options) {
  try {
    Package package = load_package(path, options);
    const CompiledModel compiled = package.compile(cpu());
    static_cast<void>(package.state());
    return {std::move(package)};
  } catch (const Error& error) {
    return {{}, error.what()};
  } catch (const std::exception& error) {
    return {{}, error.what(), false};
  }
}

// Returns whether both have the same files with the same contents; metadata.json may differ.
bool same_contents(const Package& a, const Package& b) {
  const auto is_same = [&](const PackageFile& x, const PackageFile& y) {
    return x.name == y.name && x.sha256 == y.sha256 && a.file(x.name) == b.file(x.name);
  };
  return std::equal(a.files().begin(), a.files().end(), b.files().begin(), b.files().end(),
                    is_same);
}

// Writes sample_package with a fixed time in metadata.json: each run damages the same bytes.
std::string timeless_package(const FileFolder& folder, SavePackageOptions options = {}) {
  const std::string path = sample_package(folder, "p", std::move(options));
  PackageEdit edit(path);
  edit.replace("metadata.json", load_package(path).info().created_at, "2026-11-25T03:31:02Z");
  edit.write();
  return path;
}

std::uint64_t damaged_count(std::uint64_t usual) {
  const char* asked = std::getenv("MITHRIL_DAMAGED_PACKAGES");
  return asked ? std::strtoull(asked, nullptr, 10) : usual;
}

}  // namespace

TEST_CASE("a damaged package is refused with an error that names a damaged file") {
  const FileFolder folder;
  const std::string path =
      timeless_package(folder, {.backends = {{.name = "cpu", .options = "{\"threads\": 1}"}}});
  const PackageEdit whole(path);
  const Package before = load_package(path);
  for (std::uint64_t seed = 0; seed < damaged_count(200); ++seed) {
    Engine random(seed);
    PackageEdit edit = whole;
    const Damage done = damage(edit, random);
    edit.write();
    const Reading found =
        read(path, {.verify = seed % 2 == 0 ? PackageChecks::full : PackageChecks::lazy,
                    .allow_native_code = seed % 4 < 2});
    CAPTURE(seed);
    CAPTURE(found.error);
    CHECK(found.is_typed);
    if (!found.package) {
      CHECK(names_one_of(found.error, path, done.files));
    } else if (!done.is_listed) {
      // Fields of metadata.json that do not describe a file may differ.
      CHECK(same_contents(*found.package, before));
    }
  }
}

TEST_CASE("a damaged archive is refused with an error that names it") {
  const FileFolder folder;
  copy_package(timeless_package(folder), folder.at("whole.zip"));
  const std::string whole = PackageEdit::contents(folder.at("whole.zip"));
  const Package before = load_package(folder.at("whole.zip"));
  for (std::uint64_t seed = 0; seed < damaged_count(200); ++seed) {
    Engine random(seed);
    std::string bytes = whole;
    for (size_t i = 0; i <= random() % 3; ++i) change_bytes(bytes, random);
    const std::string path = folder.write("p.zip", bytes);
    const Reading found = read(path, {});
    CAPTURE(seed);
    CAPTURE(found.error);
    CHECK(found.is_typed);
    if (!found.package) {
      CHECK(found.error.find(path) != std::string::npos);
    } else {
      // Between its entries an archive has bytes that nothing reads.
      CHECK(same_contents(*found.package, before));
    }
  }
}

}  // namespace mithril
