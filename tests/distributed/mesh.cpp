// Groups of processes along the axes of a mesh.
#include "mithril/distributed/mesh.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "mithril/distributed/or_abandon.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril::tests {
namespace {

double sum_over(Communicator& group, double number) {
  group.start_all_reduce(&number, DType::float64, 1, Reduction::sum)->wait();
  return number;
}

}  // namespace

TEST_CASE("processes of a mesh exchange along its rows and its columns") {
  const auto errors = on_each_rank(6, [](Communicator& own) {
    const auto group = communicator(own.name());
    const Mesh mesh{.data = 3, .model = 2};
    const auto column = data_axis(group, mesh), row = model_axis(group, mesh);
    CHECK(column->size() == 3);
    CHECK(column->rank() == own.rank() / 2);
    CHECK(row->size() == 2);
    CHECK(row->rank() == own.rank() % 2);
    CHECK(sum_over(*column, own.rank()) == (own.rank() % 2 == 0 ? 6 : 9));
    CHECK(sum_over(*row, own.rank()) == 4 * (own.rank() / 2) + 1);
    CHECK(communicator(row->name()) == row);
    CHECK(data_axis(group, mesh) == column);
  });
  CHECK(errors == no_errors(6));
}

TEST_CASE("an axis of all processes is the group, and one of a single process is alone") {
  const auto errors = on_each_rank(2, [](Communicator& own) {
    const auto group = communicator(own.name());
    CHECK(data_axis(group, {.data = 2}) == group);
    CHECK(model_axis(group, {.data = 2})->name() == "alone");
    CHECK(model_axis(group, {.model = 2}) == group);
  });
  CHECK(errors == no_errors(2));
}

TEST_CASE("an error of one process ends those that wait in other rows of a mesh") {
  const auto errors = on_each_rank(4, [](Communicator& own) {
    const auto group = communicator(own.name());
    const Mesh mesh{.data = 2, .model = 2};
    const auto column = data_axis(group, mesh), row = model_axis(group, mesh);
    or_abandon(group.get(), [&] {
      if (own.rank() == 0)
        raise({.kind = ErrorKind::value, .code = "E0402", .message = "a bad batch"});
      own.rank() == 3 ? sum_over(*row, 1) : sum_over(own.rank() == 1 ? *row : *column, 1);
      sum_over(*column, 1);
      sum_over(*row, 1);
    });
  });
  CHECK(errors[0].find("a bad batch") != std::string::npos);
  for (std::size_t rank = 1; rank < errors.size(); ++rank) {
    CAPTURE(rank);
    CHECK(errors[rank].find("E0963") != std::string::npos);
  }
}

}  // namespace mithril::tests
