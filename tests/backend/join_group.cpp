// The group of a launcher, in C++. python/tests/distributed has tests of several processes.
#include "mithril/backend/join_group.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

// Sets variables of the environment, and takes them out at the end.
class Launcher {
 public:
  explicit Launcher(std::vector<std::pair<const char*, const char*>> variables)
      : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name, value, 1);
  }
  ~Launcher() {
    for (const auto& [name, value] : variables_) unsetenv(name);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

 private:
  const std::vector<std::pair<const char*, const char*>> variables_;
};

}  // namespace

TEST_CASE("without a launcher, and under one of one process, the process is alone") {
  CHECK(distributed::init() == single_process());
  const Launcher launcher(
      {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}});
  CHECK(distributed::init()->size() == 1);
}

TEST_CASE("variables that are missing or no numbers are refused") {
  {
    const Launcher launcher({{"RANK", "0"}, {"WORLD_SIZE", "2"}});
    CHECK_THROWS_WITH(
        distributed::init(),
        "mithril.DistributedError[E0965]: init: the variables of the launcher are incomplete: "
        "MASTER_ADDR, MASTER_PORT\n"
        "  set     : RANK, WORLD_SIZE\n"
        "  missing : MASTER_ADDR, MASTER_PORT\n"
        "  help: start the program with torchrun, or unset RANK and WORLD_SIZE to run it alone");
  }
  const Launcher launcher(
      {{"RANK", "first"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}});
  CHECK_THROWS_WITH(
      distributed::init(),
      "mithril.DistributedError[E0965]: init: the variable RANK is not a number: 'first'");
}

}  // namespace mithril
