// Groups of threads: collectives, their order, and failures.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mithril/base/interrupt.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/distributed/or_abandon.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril {
namespace {

using tests::no_errors;
using tests::on_each_rank;

template <typename T>
void all_reduce(Communicator& group, std::vector<T>& data, Reduction reduction = Reduction::sum) {
  group
      .start_all_reduce(data.data(), dtype_of<T>, static_cast<std::int64_t>(data.size()), reduction)
      ->wait();
}

}  // namespace

TEST_CASE("all_reduce gives all threads the sum, the maximum or the minimum of each element") {
  for (const int size : {1, 2, 3, 8}) {
    CHECK(on_each_rank(size, [size](Communicator& group) {
            const int sum = size * (size - 1) / 2;
            std::vector<double> sums{double(group.rank()), 1, 0.5};
            all_reduce(group, sums);
            CHECK(sums == std::vector<double>{double(sum), double(size), 0.5 * size});
            std::vector<std::int64_t> greatest{group.rank(), -group.rank()};
            all_reduce(group, greatest, Reduction::max);
            CHECK(greatest == std::vector<std::int64_t>{size - 1, 0});
            std::vector<float> least{float(group.rank()), float(-group.rank())};
            all_reduce(group, least, Reduction::min);
            CHECK(least == std::vector<float>{0, float(1 - size)});
          }) == no_errors(size));
  }
}

TEST_CASE("sums have the order of ranks, so all threads have the same bits") {
  // (1 + 2^-53) + 2^-53 = 1, and 1 + (2^-53 + 2^-53) > 1.
  const double tiny = std::ldexp(1, -53);
  CHECK(on_each_rank(3, [&](Communicator& group) {
          std::vector<double> data{group.rank() == 0 ? 1 : tiny, group.rank() == 2 ? 1 : tiny};
          all_reduce(group, data);
          CHECK(data[0] == 1);
          CHECK(data[1] > 1);
        }) == no_errors(3));
}

TEST_CASE("sums of 16-bit floats are rounded once, and a NaN remains") {
  CHECK(on_each_rank(3, [](Communicator& group) {
          std::vector<float16> data{float16(group.rank() == 0 ? 2048 : 1)};
          all_reduce(group, data);
          CHECK(float(data[0]) == 2050);
          std::vector<float> extreme{group.rank() == 1 ? std::numeric_limits<float>::quiet_NaN()
                                                       : 1};
          all_reduce(group, extreme, Reduction::max);
          CHECK(std::isnan(extreme[0]));
        }) == no_errors(3));
}

TEST_CASE("several collectives may be pending at once") {
  CHECK(on_each_rank(2, [](Communicator& group) {
          std::vector<float> a{1}, b{10};
          const auto first = group.start_all_reduce(a.data(), DType::float32, 1, Reduction::sum);
          const auto second = group.start_all_reduce(b.data(), DType::float32, 1, Reduction::sum);
          second->wait();
          first->wait();
          CHECK(a[0] + b[0] == 22);
        }) == no_errors(2));
}

TEST_CASE("all_gather, broadcast and barrier move bytes between threads") {
  CHECK(on_each_rank(3, [](Communicator& group) {
          const std::byte mine[] = {std::byte(group.rank()), std::byte(7)};
          std::vector<std::byte> all(6);
          group.all_gather(mine, all);
          for (int rank = 0; rank < 3; ++rank) {
            CHECK(all[static_cast<std::size_t>(2 * rank)] == std::byte(rank));
            CHECK(all[static_cast<std::size_t>(2 * rank + 1)] == std::byte(7));
          }
          std::byte data[] = {std::byte(group.rank())};
          group.broadcast(data, 2);
          CHECK(data[0] == std::byte(2));
          group.barrier();
        }) == no_errors(3));
}

TEST_CASE("threads that call different collectives all get an error") {
  const std::vector<std::string> errors = on_each_rank(2, [](Communicator& group) {
    std::vector<float> data(static_cast<std::size_t>(group.rank() == 0 ? 3 : 4));
    all_reduce(group, data);
  });
  CHECK(errors[0] == errors[1]);
  CHECK(errors[0].starts_with(
      "mithril.DistributedError[E0961]: the processes of group 'threads' call different "
      "collectives\n"));
  CHECK(errors[0].find("process 0 of 2 : all_reduce of 3 elements of float32 by sum") !=
        std::string::npos);
  CHECK(errors[0].find("process 1 of 2 : all_reduce of 4 elements of float32 by sum") !=
        std::string::npos);
}

TEST_CASE("a thread that ends makes the collectives of the others fail") {
  const std::vector<std::string> errors = on_each_rank(3, [](Communicator& group) {
    group.barrier();
    if (group.rank() == 1) return;
    group.barrier();
  });
  CHECK(errors[1].empty());
  for (const std::size_t rank : {0, 2}) {
    CHECK(errors[rank].starts_with("mithril.DistributedError[E0963]: "));
    CHECK(errors[rank].find("another process of the group has failed") != std::string::npos);
    CHECK(errors[rank].find("why   : process 1 of 3 has left the group") != std::string::npos);
  }
}

TEST_CASE("a thread that does not come ends the wait of the others after the timeout") {
  const auto group = thread_communicators(2, "threads", std::chrono::milliseconds(20));
  std::string text;
  try {
    group[0]->barrier();
  } catch (const DistributedError& error) {
    text = error.what();
  }
  CHECK(
      text.starts_with("mithril.DistributedError[E0962]: barrier: not all processes took part "
                       "within the timeout\n"
                       "  here        : process 0 of 2 of group 'threads'\n"
                       "  after       : 0."));
  CHECK(text.find("\n  waiting for : process 1\n") != std::string::npos);
  CHECK_THROWS_AS(group[1]->barrier(), DistributedError);  // the group is broken
}

TEST_CASE("the processes of an abandoned group get the error of the one that left") {
  const std::string expected =
      "mithril.DistributedError[E0963]: process 1 of 3 of group 'threads' has failed with an "
      "error\n"
      "  error : mithril.InputError[E0801]: a bad batch\n"
      "  help: the output of this process has the whole error; end all processes, and let the "
      "launcher start them again";
  const std::vector<std::string> errors = on_each_rank(3, [&](Communicator& group) {
    std::vector<float> data = {1};
    if (group.rank() == 1) group.abandon("mithril.InputError[E0801]: a bad batch\n  more : lines");
    all_reduce(group, data);
  });
  CHECK(errors == std::vector<std::string>(3, expected));
  single_process()->abandon("no one else");
  single_process()->barrier();
}

TEST_CASE("the interrupt of one process ends the collectives of the others") {
  bool interrupted = false;
  const std::vector<std::string> errors = on_each_rank(3, [&](Communicator& group) {
    try {
      or_abandon(&group, [&] {
        if (group.rank() == 1) throw Interrupted();
        group.barrier();
      });
    } catch (const Interrupted&) {
      interrupted = true;
    }
  });
  CHECK(interrupted);
  CHECK(errors[1] == "");
  for (const int rank : {0, 2}) {
    CHECK(errors[static_cast<size_t>(rank)].find(
              "mithril.DistributedError[E0963]: process 1 of 3 of group 'threads' has failed with "
              "an error\n  error : the process was interrupted\n") == 0);
  }
}

TEST_CASE("bools have no sum") {
  bool data[] = {true};
  CHECK_THROWS_WITH(single_process()->start_all_reduce(data, DType::boolean, 1, Reduction::sum),
                    doctest::Contains("mithril.ValueError[E0495]: processes do not add up bools"));
}

TEST_CASE("texts of different lengths are gathered") {
  CHECK(on_each_rank(3, [](Communicator& group) {
          const std::string mine(static_cast<std::size_t>(group.rank()), 'x');
          CHECK(all_gather_text(group, mine) == std::vector<std::string>{"", "x", "xx"});
        }) == no_errors(3));
}

TEST_CASE("processes that agree go on, and those that differ all get the first difference") {
  CHECK(on_each_rank(3, [](Communicator& group) {
          agree(group, "compile", {{"dtype", "float32"}, {"graph", std::string(1000, 'g')}});
        }) == no_errors(3));
  const std::vector<std::string> errors = on_each_rank(3, [](Communicator& group) {
    const bool last = group.rank() == 2;
    agree(group, "compile",
          {{"version", "1"}, {"dtype", last ? "float64" : "float32"}, {"seed", last ? "1" : "2"}});
  });
  for (const std::string& error : errors) {
    CHECK(error ==
          "mithril.DistributedError[E0964]: compile: the processes of group 'threads' differ in "
          "'dtype'\n"
          "  process 0 of 3 : dtype = float32\n"
          "  process 2 of 3 : dtype = float64\n"
          "  help: all processes run the same program, with the same models, options and data");
  }
}

TEST_CASE("the difference may be in the end of a long text, or in the number of entries") {
  const auto difference = [](const auto& entries) {
    return on_each_rank(
        2, [&](Communicator& group) { agree(group, "fit", entries(group.rank())); })[0];
  };
  const std::string text = difference([](int rank) {
    return AgreementEntries{{"graph", std::string(1000, 'g') + std::to_string(rank)}};
  });
  CHECK(text.find("differ in 'graph'") != std::string::npos);
  const std::string count = difference([](int rank) {
    AgreementEntries entries{{"seed", "1"}};
    if (rank == 1) entries.emplace_back("epochs", "10");
    return entries;
  });
  CHECK(count.find("process 0 of 2 : nothing more\n  process 1 of 2 : epochs = 10") !=
        std::string::npos);
}
}  // namespace mithril
