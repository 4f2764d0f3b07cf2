#include "mithril/base/new_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using tests::FileFolder;

void write_to(const NewFolder& folder, const std::string& text) {
  std::ofstream(folder.path() + "/file") << text;
}

std::string read_from(const std::string& folder) {
  std::string text;
  std::getline(std::ifstream(folder + "/file"), text);
  return text;
}

size_t entries_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a new folder replaces a missing, an empty or a full folder") {
  const FileFolder here;
  for (const char* text : {"first", "second"}) {
    NewFolder folder(here.at("target"));
    REQUIRE(folder.failure() == "");
    write_to(folder, text);
    CHECK(folder.take_place() == "");
    CHECK(read_from(here.at("target")) == text);
  }
  fs::create_directory(here.at("empty"));
  NewFolder folder(here.at("empty/"));
  write_to(folder, "third");
  CHECK(folder.take_place() == "");
  CHECK(read_from(here.at("empty")) == "third");
  CHECK(entries_in(here.at(".")) == 2);
}

TEST_CASE("a folder that is not finished leaves no files behind") {
  const FileFolder here;
  {
    const NewFolder folder(here.at("target"));
    write_to(folder, "text");
  }
  CHECK(entries_in(here.at(".")) == 0);
}

TEST_CASE("a new folder replaces the target of a link, and keeps its permissions") {
  const FileFolder here;
  fs::create_directory(here.at("old"));
  fs::permissions(here.at("old"), fs::perms::owner_all);
  here.write("old/file", "old");
  fs::create_directory_symlink("old", here.at("link"));
  {
    NewFolder folder(here.at("link"));
    write_to(folder, "new");
    CHECK(folder.take_place() == "");
  }
  CHECK(fs::is_symlink(here.at("link")));
  CHECK(read_from(here.at("old")) == "new");
  CHECK(fs::status(here.at("old")).permissions() == fs::perms::owner_all);
}

TEST_CASE("a new folder does not replace a file, and needs its parent") {
  const FileFolder here;
  here.write("file", "text");
  NewFolder folder(here.at("file"));
  CHECK(folder.take_place() == "Not a directory");
  CHECK(fs::is_regular_file(here.at("file")));
  CHECK(NewFolder(here.at("missing/target")).failure() == "No such file or directory");
  CHECK(NewFolder("").failure() == "No such file or directory");
  CHECK(NewFolder(std::string("a\0b", 3)).failure() == "Invalid argument");
}

TEST_CASE("folders of killed processes go after an hour") {
  const FileFolder here;
  const std::string abandoned = here.at(".mithril-0123456789abcdef0123456789abcdef");
  fs::create_directory(abandoned);
  { const NewFolder folder(here.at("target")); }
  CHECK(fs::exists(abandoned));
  const std::time_t before = std::time(nullptr) - 2 * 60 * 60;
  const utimbuf times{before, before};
  REQUIRE(utime(abandoned.c_str(), &times) == 0);
  { const NewFolder folder(here.at("target")); }
  CHECK(!fs::exists(abandoned));
}

}  // namespace mithril
