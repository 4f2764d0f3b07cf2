// The names in folders, by path and by descriptor.
#include "mithril/base/list_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "tests/cpu/native.hpp"

namespace mithril {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("a folder has the same names by its path and by a descriptor") {
  const TemporaryFolder folder("mithril-list-");
  REQUIRE(::mkdir(folder.path("inner").c_str(), 0700) == 0);
  tests::replace_contents(folder.path("inner/file"), "text");
  tests::replace_contents(folder.path("inner/.hidden"), "text");
  const std::vector<std::string> expected{".hidden", "file"};
  const std::string path = folder.path("inner");
  CHECK(sorted(names_in_folder(path)) == expected);
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(sorted(names_in_open_folder(opened.get()).value()) == expected);
}

TEST_CASE("what is not a folder has no names") {
  const TemporaryFolder folder("mithril-list-");
  const std::string path = folder.path("file");
  tests::replace_contents(path, "text");
  CHECK(names_in_folder(path).empty());
  CHECK(names_in_folder(folder.path("missing")).empty());
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  CHECK_FALSE(names_in_open_folder(file.get()));
  CHECK(errno == ENOTDIR);
  CHECK_FALSE(names_in_open_folder(-1));
  CHECK(errno == EBADF);
}

}  // namespace
}  // namespace mithril
