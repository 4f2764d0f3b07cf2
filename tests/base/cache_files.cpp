// A cache entry on disk is whole or missing.
#include "mithril/base/cache_files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/compile/cache_folder.hpp"

namespace mithril {
namespace {

using tests::CacheFolder;
using tests::contents;
using tests::replace_contents;

bool has(const CacheFiles& files, const std::string& key, const std::string& entry) {
  const auto found = files.find(key);
  return found && *found == entry;
}

}  // namespace

TEST_CASE("an entry is found under its own key only") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  const std::string key("a key\0of bytes", 14), entry("an entry\0of bytes", 17);
  CHECK(!files.find(key));
  files.keep(key, entry);
  CHECK(has(files, key, entry));
  CHECK(!files.find("another"));
  files.keep(key, "");
  CHECK(has(files, key, ""));
  CHECK(folder.files() == std::vector<std::string>{files.file_of(key)});
}

TEST_CASE("only the owner can access files and folders of the cache") {
  const CacheFolder folder;
  const CacheFiles files(folder.path() + "/deep/down");
  files.keep("key", "entry");
  struct stat about;
  REQUIRE(stat((folder.path() + "/deep/down").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0700);
  REQUIRE(stat(files.file_of("key").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
}

TEST_CASE("a file with a missing or changed byte is not an entry") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  const std::string entry = "an entry of more than a word";
  files.keep("key", entry);
  const std::string path = files.file_of("key"), whole = contents(path);
  for (size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      replace_contents(path, damaged);
      CHECK(!files.find("key"));
    }
    replace_contents(path, whole.substr(0, i));
    CHECK(!files.find("key"));
  }
  replace_contents(path, whole + '\0');
  CHECK(!files.find("key"));
  files.keep("key", entry);
  CHECK(has(files, "key", entry));
}

TEST_CASE("a file of another key, or something that is not a file, is not an entry") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  files.keep("other", "entry");
  const std::string path = files.file_of("key");
  std::filesystem::copy_file(files.file_of("other"), path);
  CHECK(!files.find("key"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(!files.find("key"));
  files.keep("key", "entry");
  CHECK(!files.find("key"));
  std::filesystem::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(!files.find("key"));
  files.keep("key", "entry");
  CHECK(has(files, "key", "entry"));
}

TEST_CASE("a file that others may write is not read") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  files.keep("key", "entry");
  REQUIRE(chmod(files.file_of("key").c_str(), 0622) == 0);
  CHECK(!files.find("key"));
  files.keep("key", "entry");
  CHECK(has(files, "key", "entry"));
}

TEST_CASE("a folder that cannot be created is an empty cache") {
  const CacheFolder folder;
  REQUIRE(std::filesystem::create_directory(folder.path()));
  replace_contents(folder.path() + "/file", "");
  for (const std::string& path :
       {std::string(), folder.path() + "/file", folder.path() + "/file/below",
        std::string("/proc/no_such"), std::string(5000, 'x')}) {
    CAPTURE(path);
    const CacheFiles files(path);
    files.keep("key", "entry");
    CHECK(!files.find("key"));
  }
}

TEST_CASE("a full folder evicts the least recently used entry") {
  const CacheFolder folder;
  const std::string entry(1000, 'x');
  const CacheFiles files(folder.path(), 5000);
  const auto used = [&](const std::string& key, int minutes_ago) {
    std::filesystem::last_write_time(
        files.file_of(key),
        std::filesystem::file_time_type::clock::now() - std::chrono::minutes(minutes_ago));
  };
  for (const char* key : {"1", "2", "3", "4"}) files.keep(key, entry);
  used("1", 10), used("2", 40), used("3", 30), used("4", 20);
  CHECK(has(files, "2", entry));
  files.keep("5", entry);
  CHECK(!files.find("3"));
  CHECK(!files.find("4"));
  for (const char* key : {"1", "2", "5"}) CHECK(has(files, key, entry));
  files.keep("6", std::string(6000, 'x'));
  CHECK(!files.find("6"));
}

TEST_CASE("unfinished files are removed after a while, and files of others never") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  files.keep("key", "entry");
  const std::string old = folder.path() + "/.mithril-old",
                    fresh = folder.path() + "/.mithril-fresh",
                    foreign = folder.path() + "/notes.txt";
  for (const std::string& path : {old, fresh, foreign}) replace_contents(path, "?");
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const std::string& path : {old, foreign}) {
    std::filesystem::last_write_time(path, now - std::chrono::hours(2));
  }
  files.keep("key", "entry");
  CHECK(!std::filesystem::exists(old));
  CHECK(std::filesystem::exists(fresh));
  CHECK(std::filesystem::exists(foreign));
}

TEST_CASE("processes that write at the same time leave complete entries") {
  const CacheFolder folder;
  const CacheFiles files(folder.path());
  const std::string entries[] = {std::string(100'000, 'a'), std::string(70'000, 'b')};
  files.keep("key", entries[0]);
  std::vector<pid_t> writers;
  for (const std::string& entry : entries) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int i = 0; i < 200; ++i) files.keep("key", entry);
      _exit(0);
    }
    writers.push_back(child);
  }
  size_t running = writers.size(), seen = 0;
  while (running > 0) {
    const auto found = files.find("key");
    REQUIRE(found);
    REQUIRE((*found == entries[0] || *found == entries[1]));
    ++seen;
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) > 0) {
      --running;
      CHECK(status == 0);
    }
  }
  CHECK(seen > 0);
  CHECK(folder.files() == std::vector<std::string>{files.file_of("key")});
}

TEST_CASE("the environment chooses the folder of the cache") {
  const CacheFolder folder;
  CHECK(CacheFiles::usual_folder() == folder.path());
  CacheFolder::use("");
  const char* caches = getenv("XDG_CACHE_HOME");
  const std::string before = caches ? caches : "";
  setenv("XDG_CACHE_HOME", "/caches", 1);
  CHECK(CacheFiles::usual_folder() == "/caches/mithril");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  const char* home = getenv("HOME");
  CHECK(CacheFiles::usual_folder() == (home ? std::string(home) + "/.cache/mithril" : ""));
  caches ? setenv("XDG_CACHE_HOME", before.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

}  // namespace mithril
