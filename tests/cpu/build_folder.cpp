// Folders of killed compilers are removed.
#include "backends/cpu/elementwise/native/build_folder.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/cpu/native.hpp"

namespace mithril {
namespace {

namespace fs = std::filesystem;
using cpu_backend::BuildFolder;
using tests::contents;
using tests::replace_contents;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    REQUIRE(mkdtemp(path_.data()));
    variable_.emplace("TMPDIR", path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // A folder as compilers leave it, last changed an hour ago.
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
  std::string path_ = fs::temp_directory_path() / "mithril_workshops_XXXXXX";
  std::optional<tests::Variable> variable_;
};

}  // namespace

TEST_CASE("a folder for a compile is removed with its contents") {
  const TemporaryFolder temporary;
  {
    const BuildFolder folder;
    REQUIRE(folder);
    CHECK(fs::status(folder.path()).permissions() == fs::perms::owner_all);
    fs::create_directory(folder.path() + "/of_the_compiler");
    replace_contents(folder.source(), "text");
    replace_contents(folder.path() + "/of_the_compiler/part.o", "text");
  }
  CHECK(fs::is_empty(temporary.path()));
}

TEST_CASE("folders of killed processes are removed by the next compile") {
  const TemporaryFolder temporary;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const BuildFolder folder;
    const std::string path = folder.path() + "\n";
    static_cast<void>(!write(ready[1], path.data(), path.size()));
    for (;;) pause();
  }
  std::string folder;
  for (char letter = 0; read(ready[0], &letter, 1) == 1 && letter != '\n';) folder += letter;
  TemporaryFolder::make_old_again(folder);
  { const BuildFolder next; }
  CHECK(fs::exists(folder + "/lock"));  // its process works in it
  REQUIRE(kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  { const BuildFolder next; }
  CHECK(!fs::exists(folder));
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("nothing else in the folder for temporary files is removed") {
  const TemporaryFolder temporary;
  const std::string abandoned = temporary.make_old("mithril-loops-abcdef");
  const std::string other = temporary.make_old("mithril_other_abcdef");
  const std::string fresh = temporary.path() + "/mithril-loops-fresh1";
  const std::string link = temporary.path() + "/mithril-loops-link01";
  fs::create_directory(fresh);
  fs::create_directory_symlink(other, link);
  fs::create_directory_symlink(other, abandoned + "/link");
  TemporaryFolder::make_old_again(abandoned);
  { const BuildFolder next; }
  CHECK(!fs::exists(abandoned));
  CHECK(fs::exists(fresh));
  CHECK(fs::is_symlink(link));
  CHECK(contents(other + "/deep/part.o") == "text");
}

TEST_CASE("files of a killed compiler are removed, too") {
  const tests::CacheFolder cache;
  const tests::Script compiler("touch $TMPDIR/cc123.s; mkdir $TMPDIR/more; kill -9 $$");
  const TemporaryFolder temporary;
  const tests::Variable chosen("CXX", compiler.path());
  const auto loaded = tests::load_native(parse_graph(tests::one_loop));
  CHECK(compiler.runs() == 1);
  CHECK(fs::is_empty(temporary.path()));
}

}  // namespace mithril
