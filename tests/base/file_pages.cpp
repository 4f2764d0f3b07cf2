#include "mithril/base/file_pages.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mithril/base/temporary_folder.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/serialization/mapped_file.hpp"

namespace mithril {

TEST_CASE("pages of a file are known while it is mapped, and keep its bytes after a release") {
  const TemporaryFolder folder("mithril_test_");
  const std::string path = folder.path("file"), text(3 << 16, 'x');
  REQUIRE(write_private_file(path, text) == "");
  const std::byte* begin = nullptr;
  {
    const auto mapped = MappedFile::open(path);
    begin = mapped->bytes().data();
    CHECK(!are_file_pages(begin, 1));
    mapped->stay_unwritten();
    CHECK(are_file_pages(begin, text.size()));
    CHECK(are_file_pages(begin + 7, 9));
    CHECK(!are_file_pages(begin, text.size() + 1));
    CHECK(!are_file_pages(begin - 1, 2));
    release_file_pages(begin + 1, text.size() - 1);
    CHECK(std::string(reinterpret_cast<const char*>(begin), text.size()) == text);
  }
  CHECK(!are_file_pages(begin, 1));
}

TEST_CASE("a release leaves other memory as it is") {
  const std::vector<char> memory(1 << 20, 'x');
  release_file_pages(memory.data(), memory.size());
  CHECK(memory == std::vector<char>(1 << 20, 'x'));
}

}  // namespace mithril
