// The table of the groups of a process.
#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/distributed/thread_communicator.hpp"

namespace mithril {

TEST_CASE("the group of one process exists, and returns what it is given") {
  const auto alone = communicator("alone");
  CHECK(alone->size() == 1);
  float data[] = {3};
  alone->start_all_reduce(data, DType::float32, 1, Reduction::sum)->wait();
  alone->broadcast(std::as_writable_bytes(std::span(data)), 0);
  CHECK(data[0] == 3);
}

TEST_CASE("a group is found by its name until it is taken out of the table") {
  const auto group = thread_communicators(1, "a group of this test");
  register_communicator(group[0]);
  CHECK(communicator("a group of this test") == group[0]);
  unregister_communicator("a group of this test");
  CHECK_THROWS_WITH(communicator("alon"),
                    "mithril.DistributedError[E0960]: there is no group of processes 'alon'\n"
                    "  known : alone\n"
                    "  help: did you mean 'alone'?");
}

TEST_CASE("a thread may have its own group of a name") {
  const auto own = thread_communicators(1, "alone");
  {
    const CommunicatorScope scope(own[0]);
    CHECK(communicator("alone") == own[0]);
  }
  CHECK(communicator("alone") == single_process());
}

TEST_CASE("a reduction has a name") {
  CHECK(parse_reduction("max") == Reduction::max);
  CHECK(name(Reduction::min) == "min");
  CHECK_THROWS_WITH(parse_reduction("mean"), doctest::Contains("E0494"));
}

}  // namespace mithril
