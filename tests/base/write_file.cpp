// Files are written whole or not at all.
#include "mithril/base/write_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "mithril/base/unfinished.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/environment.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using tests::contents;
using tests::replace_contents;

class Folder {
 public:
  Folder() { REQUIRE(mkdtemp(path_.data())); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string at(const std::string& name) const { return path_ + "/" + name; }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  std::string path_ = fs::temp_directory_path() / "mithril_files_XXXXXX";
};

unsigned mode_of(const std::string& path) {
  struct stat about;
  REQUIRE(stat(path.c_str(), &about) == 0);
  return about.st_mode & 07777;
}

// Runs the work in a child process and returns its exit status. The work must not use doctest.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(work());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr int skipped = 77;

// Pipes between a test and its child.
int at_limit[2], go_on[2];

// Tells that the file is as long as it may get, and waits.
void stop_at_limit(int) {
  char byte = 0;
  static_cast<void>(!write(at_limit[1], &byte, 1));
  static_cast<void>(!read(go_on[0], &byte, 1));
}

}  // namespace

TEST_CASE("a written file has the given bytes, and no temporary file remains") {
  const Folder folder;
  const std::string path = folder.at("file"), bytes("some\0bytes\n", 11);
  for (const std::string& text : {bytes, std::string(3'000'000, 'x'), std::string(), bytes}) {
    CHECK(write_file(path, text) == "");
    CHECK(contents(path) == text);
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("a new file has the permissions of the umask, a replaced one keeps its own") {
  const Folder folder;
  const std::string path = folder.at("file");
  const mode_t before = umask(027);
  CHECK(write_file(path, "1") == "");
  umask(before);
  CHECK(mode_of(path) == 0640);
  for (const unsigned mode : {0600U, 0755U, 0666U}) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
    CHECK(write_file(path, "2") == "");
    CHECK(mode_of(path) == mode);
  }
  if (geteuid() != 0) {
    tests::skip("only root gives files away");
    return;
  }
  REQUIRE(chown(path.c_str(), 1234, 4321) == 0);
  CHECK(write_file(path, "3") == "");
  struct stat about;
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK(about.st_uid == 1234);
  CHECK(about.st_gid == 4321);
}

TEST_CASE("a symbolic link stays, and its target is written") {
  const Folder folder;
  REQUIRE(fs::create_directory(folder.at("below")));
  fs::create_symlink("below/second", folder.at("first"));
  fs::create_symlink("file", folder.at("below/second"));
  for (const char* text : {"made", "replaced"}) {  // at first its target does not exist
    CHECK(write_file(folder.at("first"), text) == "");
    CHECK(fs::is_symlink(folder.at("first")));
    CHECK(fs::is_symlink(folder.at("below/second")));
    CHECK(contents(folder.at("below/file")) == text);
  }
  fs::create_symlink("circle", folder.at("circle"));
  CHECK(write_file(folder.at("circle"), "text") == "Too many levels of symbolic links");
}

TEST_CASE("devices and pipes are written to, not replaced") {
  CHECK(write_file("/dev/null", "text") == "");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(write_file("/dev/full", "text") == "No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
  const Folder folder;
  const std::string pipe = folder.at("pipe"), text(1'000'000, 'x');
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string failure, got;
  std::thread writer([&] { failure = write_file(pipe, text); });
  got = contents(pipe);
  writer.join();
  CHECK(failure == "");
  CHECK(got == text);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("a standard output that is a file is written to, not replaced") {
  const Folder folder;
  const std::string path = folder.at("log");
  replace_contents(path, "before\n");
  CHECK(in_child([&] {
          const int file = open(path.c_str(), O_WRONLY | O_APPEND);
          if (dup2(file, STDOUT_FILENO) < 0) return 1;
          return write_file("/dev/stdout", "model\n") == "" ? 0 : 2;
        }) == 0);
  CHECK(contents(path) == "before\nmodel\n");
}

TEST_CASE("a failed write says why, and leaves no file") {
  const Folder folder;
  CHECK(write_file(folder.at("none/file"), "text") == "No such file or directory");
  CHECK(write_file(folder.at(""), "text") == "Is a directory");
  CHECK(write_file("", "text") == "No such file or directory");
  CHECK(write_file(folder.at("file") + std::string("\0x", 2), "text") == "Invalid argument");
  CHECK(write_file(folder.at(std::string(300, 'x')), "text") == "File name too long");
  CHECK(write_file(folder.at(std::string(255, 'x')), "text") == "");
  CHECK(folder.count() == 1);
}

TEST_CASE("a file that may not be written to is not replaced") {
  const Folder folder;
  const std::string path = folder.at("file");
  replace_contents(path, "old");
  REQUIRE(chmod(path.c_str(), 0444) == 0);
  REQUIRE(chmod(folder.at("").c_str(), 0777) == 0);
  CHECK(in_child([&] {
          if (geteuid() == 0 && seteuid(65534) != 0) return 1;  // as root everything may be written
          return write_file(path, "new") == "Permission denied" ? 0 : 2;
        }) == 0);
  CHECK(contents(path) == "old");
}

TEST_CASE("a write beyond the limit of file sizes leaves the old file as it was") {
  const Folder folder;
  const std::string path = folder.at("file"), old(1000, 'o');
  CHECK(write_file(path, old) == "");
  CHECK(in_child([&] {
          signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{100'000, 100'000};
          if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
          return write_file(path, std::string(100'001, 'n')) == "File too large" ? 0 : 2;
        }) == 0);
  CHECK(contents(path) == old);
  CHECK(folder.count() == 1);
}

TEST_CASE("on a full disk the old file stays as it was") {
  const Folder folder;
  const std::string path = folder.at("file"), old(10'000, 'o');
  const auto work = [&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return skipped;
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return skipped;
    if (mount("none", folder.at("").c_str(), "tmpfs", 0, "size=64k") != 0) return skipped;
    if (write_file(path, old) != "") return 1;
    if (write_file(path, std::string(100'000, 'n')) != "No space left on device") return 2;
    if (contents(path) != old || folder.count() != 1) return 3;
    // A size that fits on the disk, but not together with the old file.
    if (write_file(path, std::string(60'000, 'n')) != "No space left on device") return 4;
    if (contents(path) != old || folder.count() != 1) return 5;
    return write_file(path, "new") == "" && contents(path) == "new" ? 0 : 6;
  };
  const int status = in_child(work);
  if (status == skipped) {
    tests::skip("no file system can be mounted");
  } else {
    CHECK(status == 0);
  }
}

TEST_CASE("a kill at any moment leaves the old or the new file") {
  const Folder folder;
  const std::string path = folder.at("file");
  const std::string texts[] = {std::string(300'000, 'a'), std::string(200'000, 'b')};
  REQUIRE(write_file(path, texts[0]) == "");
  size_t unfinished = 0;
  for (int kill_after = 0; kill_after < 60; kill_after += tests::all_cases() ? 1 : 4) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (size_t i = 0;; ++i) write_file(path, texts[i % 2]);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + kill_after * 37));
    REQUIRE(kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    const std::string now = contents(path);
    REQUIRE((now == texts[0] || now == texts[1]));
    for (const auto& entry : fs::directory_iterator(folder.at(""))) {
      const std::string name = entry.path().filename();
      if (name == "file") continue;
      CHECK(name.starts_with(unfinished_prefix));
      ++unfinished;
      fs::remove(entry.path());
    }
  }
  MESSAGE(unfinished << " kills came while a file was being written");
}

TEST_CASE("unfinished files of killed processes are removed") {
  const Folder folder;
  const std::string digits = "0123456789abcdef0123456789abcdef";
  const auto make = [&](const std::string& name, std::chrono::hours age) {
    replace_contents(folder.at(name), "part");
    fs::last_write_time(folder.at(name), fs::file_time_type::clock::now() - age);
    return folder.at(name);
  };
  const std::chrono::hours old(2), fresh(0);
  std::string unlocked = std::string(unfinished_prefix) + digits;
  const std::string abandoned = make(unlocked, old);
  unlocked.back() = '0';
  const std::string recent = make(unlocked, fresh);
  unlocked.back() = '1';
  const std::string in_use = make(unlocked, old);
  const std::string other = make(std::string(unfinished_prefix) + "notes", old);
  unlocked.back() = '2';
  const std::string link = folder.at(unlocked);
  fs::create_symlink("file", link);
  const int lock = open(in_use.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(flock(lock, LOCK_EX | LOCK_NB) == 0);
  REQUIRE(write_file(folder.at("file"), "new") == "");
  CHECK_FALSE(fs::exists(abandoned));
  for (const std::string& kept : {recent, in_use, other, link}) CHECK(fs::exists(kept));
  REQUIRE(close(lock) == 0);
  REQUIRE(write_file(folder.at("file"), "newer") == "");
  CHECK_FALSE(fs::exists(in_use));
}

TEST_CASE("a file is locked while it is written, so that no other process removes it") {
  const Folder folder;
  REQUIRE(pipe(at_limit) == 0);
  REQUIRE(pipe(go_on) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGXFSZ, stop_at_limit);
    const rlimit limit{100'000, 100'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    _exit(write_file(folder.at("file"), std::string(100'001, 'a')) == "File too large" ? 0 : 2);
  }
  close(at_limit[1]);
  char byte = 0;
  CHECK(read(at_limit[0], &byte, 1) == 1);
  REQUIRE(folder.count() == 1);
  const std::string made = fs::directory_iterator(folder.at(""))->path();
  CHECK(fs::path(made).filename().string().starts_with(unfinished_prefix));
  const int file = open(made.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  CHECK(flock(file, LOCK_EX | LOCK_NB) != 0);
  close(file);
  CHECK(write(go_on[1], &byte, 1) == 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  for (const int end : {at_limit[0], go_on[0], go_on[1]}) close(end);
}

TEST_CASE("a private file replaces any file of its name, and only its owner can access it") {
  const Folder folder;
  const std::string path = folder.at("file"), other = folder.at("other");
  replace_contents(other, "other");
  fs::create_symlink("other", path);
  CHECK(write_private_file(path, "1") == "");
  CHECK(!fs::is_symlink(path));
  CHECK(contents(other) == "other");
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(write_private_file(path, "2") == "");
  CHECK(mode_of(path) == 0600);
  CHECK(contents(path) == "2");
}

}  // namespace mithril
