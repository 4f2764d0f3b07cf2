#include "mithril/base/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <thread>

#include "mithril/base/interrupt.hpp"

namespace mithril {
namespace {

// The file actions and attributes of posix_spawn.
class SpawnOptions {
 public:
  explicit SpawnOptions(const std::string& log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    // The program gets its own process group, so that a kill also ends the processes that it
    // started.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnOptions() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Waits for the child, also after signals. If the process ignores SIGCHLD, the system does not
// report how children end: the result is then success.
ProcessEnd wait_for(pid_t child, std::chrono::milliseconds limit) {
  const auto end = [&] {
    int status = 0;
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  };
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + limit;
  auto pause = std::chrono::microseconds(200);
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) {
      const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return well ? ProcessEnd::success : ProcessEnd::failure;
    }
    if (ended < 0 && errno == ECHILD) return ProcessEnd::success;
    if (ended < 0 && errno != EINTR) return ProcessEnd::failure;
    if (Clock::now() >= deadline) break;
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      end();
      throw;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  end();
  return ProcessEnd::timeout;
}

// The environment of this process, with another TMPDIR. The argument must outlive the result.
std::vector<char*> variables_with(std::string& temporary_folder) {
  std::vector<char*> variables;
  for (char** at = environ; *at; ++at) {
    if (!std::string_view(*at).starts_with("TMPDIR=")) variables.push_back(*at);
  }
  temporary_folder.insert(0, "TMPDIR=");
  variables.push_back(temporary_folder.data());
  variables.push_back(nullptr);
  return variables;
}

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  std::vector<char*> pointers;
  // posix_spawn does not write to the arguments.
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const SpawnOptions rules(options.log);
  std::string temporary_folder = options.temporary_folder;
  const std::vector<char*> variables = variables_with(temporary_folder);
  pid_t child = 0;
  const int failed = posix_spawn(&child, pointers.front(), rules.actions(), rules.attributes(),
                                 pointers.data(), variables.data());
  if (failed != 0) return ProcessEnd::not_started;
  return wait_for(child, options.limit);
}

}  // namespace mithril
