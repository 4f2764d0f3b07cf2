// Collectives in plans: their order, their memory, and failures.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/executable.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/distributed/collective_graphs.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

std::shared_ptr<Executable> loaded(const char* text, const LoadOptions& options = {}) {
  return cpu({.threads = 1})->load(parse_graph(text), options);
}

}  // namespace

TEST_CASE("plans exchange what the reference exchanges") {
  const auto plan = loaded(two_buckets);
  const Graph graph = parse_graph(two_buckets);
  for (const int size : {1, 2, 3}) {
    CHECK(on_each_rank(size, [&](Communicator& group) {
            const std::vector<Tensor> inputs = inputs_of_rank(group.rank());
            const std::vector<Tensor> expected = interpret(graph, inputs);
            const std::vector<Tensor> made = plan->run(inputs);
            CHECK(identical(made[0], expected[0]));
            CHECK(identical(made[1], expected[1]));
          }) == no_errors(size));
  }
}

TEST_CASE("all exchanges start before the first wait, and inputs are written to after the last") {
  const auto group = std::make_shared<LoggingCommunicator>();
  const CommunicatorScope scope(group);
  loaded(two_buckets, in_place_of_inputs)->run(inputs_of_rank(0));
  CHECK(group->log == "start 0 of 12; start 1 of 5; wait 0; end 0; wait 1; end 1; ");
}

TEST_CASE("plans for any number of rows have the same exchanges in the same order") {
  const char* const open_rows = R"(graph {
  input w: float32[3, 4]
  input v: float32[5]
  input x: float32[N, 3]
  input d: float32[N, 4]
  input e: float32[N, 5]
  t: float32[3, N] = swapaxes(input: x)
  a: float32[N, 4] = exp(input: d)
  g: float32[3, 4] = matmul(left: t, right: a)
  s0: float32[3, 4] = all_reduce_start(inputs: [g], group: "threads")
  b: float32[N, 5] = exp(input: e)
  h: float32[5] = sum(input: b, axis: 0)
  s1: float32[5] = all_reduce_start(inputs: [h], group: "threads")
  r0: float32[3, 4] = all_reduce_wait(inputs: [s0])
  w2: float32[3, 4] = subtract(left: w, right: r0)
  r1: float32[5] = all_reduce_wait(inputs: [s1])
  v2: float32[5] = subtract(left: v, right: r1)
  output w = w2
  output v = v2
})";
  const auto plan = loaded(open_rows, in_place_of_inputs);
  for (const std::int64_t rows : {0, 1, 2, 63, 4096}) {
    CAPTURE(rows);
    const auto group = std::make_shared<LoggingCommunicator>();
    const CommunicatorScope scope(group);
    plan->run(std::vector<Tensor>{Tensor::ones({3, 4}), Tensor::ones({5}), Tensor::ones({rows, 3}),
                                  Tensor::ones({rows, 4}), Tensor::ones({rows, 5})});
    CHECK(group->log == "start 0 of 12; start 1 of 5; wait 0; end 0; wait 1; end 1; ");
  }
}

TEST_CASE("elementwise nodes around an exchange are not a step that would wait for itself") {
  const char* const around = R"(graph {
  input x: float32[8]
  input y: float32[8]
  a: float32[8] = exp(input: x)
  s0: float32[8] = all_reduce_start(inputs: [a], group: "threads")
  s1: float32[8] = all_reduce_start(inputs: [y], group: "threads")
  r1: float32[8] = all_reduce_wait(inputs: [s1])
  b: float32[8] = add(left: a, right: r1)
  c: float32[8] = multiply(left: b, right: a)
  r0: float32[8] = all_reduce_wait(inputs: [s0])
  d: float32[8] = add(left: c, right: r0)
  output c = c
  output d = d
})";
  const auto plan = loaded(around);
  CHECK(on_each_rank(2, [&](Communicator& group) {
          const auto rank = static_cast<float>(group.rank());
          const std::vector<Tensor> inputs = {counting({8}, -rank), counting({8}, rank)};
          const std::vector<Tensor> expected = interpret(parse_graph(around), inputs);
          const std::vector<Tensor> made = plan->run(inputs);
          for (std::size_t i = 0; i < made.size(); ++i)
            CHECK(difference(made[i], expected[i], 1e-5) == "");
        }) == no_errors(2));
}

TEST_CASE("if an exchange fails, donated inputs are as before, and no exchange remains") {
  for (const int failing : {0, 1}) {
    const auto group = std::make_shared<LoggingCommunicator>();
    group->failing = failing;
    const CommunicatorScope scope(group);
    const std::vector<Tensor> inputs = inputs_of_rank(0);
    std::string text;
    try {
      loaded(two_buckets, in_place_of_inputs)->run(inputs);
    } catch (const DistributedError& error) {
      text = error.what();
      CHECK(!error.details().wrote_inputs);
    }
    CHECK(text == std::string("mithril.DistributedError[E0963]: s") + std::to_string(failing) +
                      ": a process has failed");
    CHECK(identical(inputs[0], counting({3, 4}, 1)));
    CHECK(identical(inputs[1], counting({5}, 2)));
    CHECK(group->log.ends_with(failing == 0 ? "wait 0; end 0; end 1; " : "wait 1; end 1; "));
  }
}

TEST_CASE("kernels write the tensors of a bucket side by side, and readers read them there") {
  const char* const one_bucket = R"(graph {
  input x: float32[4, 40]
  input y: float32[4, 3]
  input z: float32[4, 8]
  a: float32[40] = sum(input: x, axis: 0)
  b: float32[3] = sum(input: y, axis: 0)
  c: float32[8] = sum(input: z, axis: 0)
  sa: float32[40], sb: float32[3], sc: float32[8] = all_reduce_start(inputs: [a, b, c], group: "threads")
  ra: float32[40], rb: float32[3], rc: float32[8] = all_reduce_wait(inputs: [sa, sb, sc])
  u: float32[40] = atan(input: ra)
  v: float32[3] = atan(input: rb)
  w: float32[8] = atan(input: rc)
  output u = u
  output v = v
  output w = w
})";
  std::string memory;
  const auto plan = cpu_backend::make_executable(
      parse_graph(one_bucket), {.dump = [&](std::string_view pass, const std::string& text) {
        if (pass == "memory") memory = text;
      }});
  {
    const CommunicatorScope scope(std::make_shared<LoggingCommunicator>());
    plan->run(std::vector<Tensor>{counting({4, 40}, 0), counting({4, 3}, 1), counting({4, 8}, 2)});
  }
  const auto place = [&](const std::string& name) {
    const std::size_t at = memory.find("\n" + name + ": buffer 0 at ") + 1;
    REQUIRE(at > 0);
    return memory.substr(at + name.size(), memory.find(',', at) - at - name.size());
  };
  CHECK(on_each_rank(2, [&](Communicator& group) {
          std::vector<Tensor> inputs = {counting({4, 40}, float(group.rank())), counting({4, 3}, 1),
                                        counting({4, 8}, 2)};
          const std::vector<Tensor> expected = interpret(parse_graph(one_bucket), inputs);
          const std::vector<Tensor> made = plan->run(inputs);
          for (std::size_t i = 0; i < made.size(); ++i) CHECK(identical(made[i], expected[i]));
        }) == no_errors(2));
  CHECK(place("b") == place("sb"));
  CHECK(place("c") == place("sc"));
  CHECK(place("c") == place("rc"));
  CHECK(place("b") != place("c"));
}

TEST_CASE("an exchange whose result is read twice, or of several dtypes, is the reference's") {
  const char* const unusual = R"(graph {
  input x: float32[4]
  input y: int64[2]
  input z: float16[3]
  sx: float32[4], sy: int64[2], sz: float16[3], st: float32[4] = all_reduce_start(inputs: [x, y, z, x], group: "threads", reduction: "max")
  rx: float32[4], ry: int64[2], rz: float16[3], rt: float32[4] = all_reduce_wait(inputs: [sx, sy, sz, st])
  p: float32[4] = all_reduce_start(inputs: [x], group: "threads")
  q: float32[4] = all_reduce_wait(inputs: [p])
  output rx = rx
  output ry = ry
  output rz = rz
  output rt = rt
  output p = p
  output q = q
})";
  const auto plan = loaded(unusual);
  CHECK(on_each_rank(3, [&](Communicator& group) {
          const float rank = static_cast<float>(group.rank());
          Tensor y(DType::int64, {2});
          y.mutable_values<int64_t>()[1] = group.rank();
          const std::vector<Tensor> inputs = {counting({4}, rank), y,
                                              counting({3}, -rank).to(DType::float16)};
          const std::vector<Tensor> expected = interpret(parse_graph(unusual), inputs);
          const std::vector<Tensor> made = plan->run(inputs);
          for (std::size_t i = 0; i < made.size(); ++i) CHECK(identical(made[i], expected[i]));
          CHECK(identical(made[0], counting({4}, 2)));
          CHECK(made[1].values<int64_t>()[1] == 2);
          CHECK(made[5].values<float>()[0] == 3);  // 0 + 1 + 2
        }) == no_errors(3));
}

TEST_CASE("the exchanges of empty tensors do not fail") {
  const char* const empty = R"(graph {
  input x: float32[N]
  s: float32[N] = all_reduce_start(inputs: [x], group: "threads")
  r: float32[N] = all_reduce_wait(inputs: [s])
  output r = r
})";
  const auto plan = loaded(empty);
  CHECK(on_each_rank(2, [&](Communicator&) {
          CHECK(plan->run(std::vector<Tensor>{Tensor(DType::float32, {0})})[0].size() == 0);
        }) == no_errors(2));
}

}  // namespace mithril::tests
