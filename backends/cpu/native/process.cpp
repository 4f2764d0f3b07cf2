#include "backends/cpu/native/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace mithril::cpu_backend {
namespace {

// What posix_spawn is told.
class SpawnRules {
 public:
  explicit SpawnRules(const std::string& log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    // A group of its own, so that what it starts can be ended with it.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnRules() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Interrupted by signals it goes on. Where the process lets nobody wait for its children (SIGCHLD
// is ignored), nobody knows how they end but by what they have made.
ProcessEnd wait_for(pid_t child, std::chrono::milliseconds limit) {
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
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
  ::kill(-child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return ProcessEnd::timeout;
}

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  std::vector<char*> pointers;
  // They are only read.
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const SpawnRules rules(options.log);
  pid_t child = 0;
  const int failed = posix_spawn(&child, pointers.front(), rules.actions(), rules.attributes(),
                                 pointers.data(), environ);
  if (failed != 0) return ProcessEnd::not_started;
  return wait_for(child, options.limit);
}

}  // namespace mithril::cpu_backend
