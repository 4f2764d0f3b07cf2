// Temporary folders are removed, also those of killed processes.
#include "mithril/base/temporary_folder.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/cpu/native.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using tests::contents;
using tests::replace_contents;

// The folder for temporary files, $TMPDIR.
class Root {
 public:
  Root() {
    REQUIRE(mkdtemp(path_.data()));
    variable_.emplace("TMPDIR", path_);
  }
  ~Root() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  const std::string& path() const { return path_; }
  // A folder as killed processes leave it, last changed an hour ago.
  std::string make_old(const std::string& name) const {
    const std::string folder = path_ + "/" + name;
    fs::create_directories(folder + "/deep");
    replace_contents(folder + "/loops.cpp", "text");
    replace_contents(folder + "/deep/part.o", "text");
    make_old_again(folder);
    return folder;
  }
  static void make_old_again(const std::string& folder) {
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }

 private:
  std::string path_ = fs::temp_directory_path() / "mithril_root_XXXXXX";
  std::optional<tests::Variable> variable_;
};

}  // namespace

TEST_CASE("a temporary folder is removed with its contents") {
  const Root root;
  {
    const TemporaryFolder folder("mithril-test-");
    REQUIRE(folder);
    CHECK(fs::status(folder.path()).permissions() == fs::perms::owner_all);
    fs::create_directory(folder.path() + "/more");
    replace_contents(folder.path("text"), "text");
    replace_contents(folder.path() + "/more/part.o", "text");
  }
  CHECK(fs::is_empty(root.path()));
}

TEST_CASE("folders of killed processes are removed by the next one") {
  const Root root;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const TemporaryFolder folder("mithril-test-");
    const std::string path = folder.path() + "\n";
    static_cast<void>(!write(ready[1], path.data(), path.size()));
    for (;;) pause();
  }
  std::string folder;
  for (char letter = 0; read(ready[0], &letter, 1) == 1 && letter != '\n';) folder += letter;
  Root::make_old_again(folder);
  { const TemporaryFolder next("mithril-test-"); }
  CHECK(fs::exists(folder + "/lock"));  // its process works in it
  REQUIRE(kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  { const TemporaryFolder next("mithril-test-"); }
  CHECK(!fs::exists(folder));
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("other files in the folder for temporary files are kept") {
  const Root root;
  const std::string abandoned = root.make_old("mithril-test-abcdef");
  const std::string other = root.make_old("mithril_other_abcdef");
  const std::string fresh = root.path() + "/mithril-test-fresh1";
  const std::string link = root.path() + "/mithril-test-link01";
  fs::create_directory(fresh);
  fs::create_directory_symlink(other, link);
  fs::create_directory_symlink(other, abandoned + "/link");
  Root::make_old_again(abandoned);
  { const TemporaryFolder next("mithril-test-"); }
  CHECK(!fs::exists(abandoned));
  CHECK(fs::exists(fresh));
  CHECK(fs::is_symlink(link));
  CHECK(contents(other + "/deep/part.o") == "text");
}

}  // namespace mithril
