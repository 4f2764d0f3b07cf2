// Collectives of graphs on the torch backend: their order, their results, and failures.
#include <doctest/doctest.h>

#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "tests/distributed/collective_graphs.hpp"
#include "tests/distributed/on_each_rank.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {
namespace {

// Options that run graphs in other ways.
std::vector<std::shared_ptr<Backend>> torch_backends() {
  return {torch(), torch({.eager_mode = true}), torch({.jit_compile = true})};
}

std::vector<Tensor> adopted_by(Backend& backend, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> adopted;
  for (const Tensor& tensor : tensors) adopted.push_back(backend.adopt(tensor, false));
  return adopted;
}

std::vector<Tensor> host_copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> host;
  for (const Tensor& tensor : tensors) host.push_back(tensor.host());
  return host;
}

// Starts of several dtypes, one of which reads a tensor twice, and starts without a wait.
const char* const several_dtypes = R"(graph {
  input x: float32[4]
  input y: int64[2]
  input z: float16[3]
  input e: float32[N]
  b: bool[4] = greater(left: x, right: 2.5)
  sx: float32[4], sy: int64[2], sz: float16[3], st: float32[4], sb: bool[4] = all_reduce_start(inputs: [x, y, z, x, b], group: "threads", reduction: "max")
  rx: float32[4], ry: int64[2], rz: float16[3], rt: float32[4], rb: bool[4] = all_reduce_wait(inputs: [sx, sy, sz, st, sb])
  p: float32[4] = all_reduce_start(inputs: [x], group: "threads")
  se: float32[N], sh: float16[3] = all_reduce_start(inputs: [e, z], group: "threads")
  re: float32[N] = all_reduce_wait(inputs: [se])
  rh: float16[3] = all_reduce_wait(inputs: [sh])
  output rx = rx
  output ry = ry
  output rz = rz
  output rt = rt
  output rb = rb
  output p = p
  output re = re
  output rh = rh
})";

}  // namespace

TEST_CASE("torch exchanges what the reference exchanges") {
  if (!has_torch()) return skip_without_torch();
  for (const char* const text : {two_buckets, several_dtypes}) {
    const Graph graph = parse_graph(text);
    for (const std::shared_ptr<Backend>& backend : torch_backends()) {
      const auto executable = backend->load(graph, {});
      for (const int size : {1, 2, 3}) {
        CHECK(on_each_rank(size, [&](Communicator& group) {
                std::vector<Tensor> inputs = inputs_of_rank(group.rank());
                if (text == several_dtypes) {
                  const auto rank = static_cast<float>(group.rank());
                  inputs = {counting({4}, rank), counting({2}, -rank).to(DType::int64),
                            counting({3}, rank).to(DType::float16), Tensor(DType::float32, {0})};
                }
                const std::vector<Tensor> expected = interpret(graph, inputs);
                const std::vector<Tensor> made = host_copies(executable->run(inputs));
                for (std::size_t i = 0; i < made.size(); ++i)
                  CHECK(identical(made[i], expected[i]));
              }) == no_errors(size));
      }
    }
  }
}

TEST_CASE("torch starts all exchanges before the first wait, and keeps them apart") {
  if (!has_torch()) return skip_without_torch();
  for (const std::shared_ptr<Backend>& backend : torch_backends()) {
    const auto group = std::make_shared<LoggingCommunicator>();
    const CommunicatorScope scope(group);
    const auto executable = backend->load(parse_graph(two_buckets), in_place_of_inputs);
    executable->run(adopted_by(*backend, inputs_of_rank(0)));
    // Each tensor takes a multiple of 64 bytes.
    CHECK(group->log == "start 0 of 16; start 1 of 16; wait 0; end 0; wait 1; end 1; ");
  }
}

TEST_CASE("if an exchange fails on torch, donated inputs are as before, and no exchange remains") {
  if (!has_torch()) return skip_without_torch();
  for (const std::shared_ptr<Backend>& backend : torch_backends()) {
    for (const int failing : {0, 1}) {
      const auto group = std::make_shared<LoggingCommunicator>();
      group->failing = failing;
      const CommunicatorScope scope(group);
      const std::vector<Tensor> inputs = adopted_by(*backend, inputs_of_rank(0));
      std::string text;
      try {
        backend->load(parse_graph(two_buckets), in_place_of_inputs)->run(inputs);
      } catch (const DistributedError& error) {
        text = error.what();
        CHECK(!error.details().wrote_inputs);
      }
      CHECK(text == std::string("mithril.DistributedError[E0963]: s") + std::to_string(failing) +
                        ": a process has failed");
      CHECK(identical(inputs[0].host(), counting({3, 4}, 1)));
      CHECK(identical(inputs[1].host(), counting({5}, 2)));
      CHECK(group->log.ends_with(failing == 0 ? "wait 0; end 0; end 1; " : "wait 1; end 1; "));
    }
  }
}

TEST_CASE("a small result of an exchange does not keep the memory of large ones") {
  if (!has_torch()) return skip_without_torch();
  const std::shared_ptr<Backend> backend = torch();
  const auto executable = backend->load(parse_graph(R"(graph {
  input x: float32[1000]
  input cost: float32[]
  sx: float32[1000], sc: float32[] = all_reduce_start(inputs: [x, cost], group: "alone")
  rx: float32[1000], rc: float32[] = all_reduce_wait(inputs: [sx, sc])
  norm: float32[] = sum(input: rx)
  output cost = rc
  output norm = norm
})"),
                                        {});
  const std::vector<Tensor> made =
      executable->run(std::vector<Tensor>{counting({1000}, 0), Tensor::scalar(2.0F)});
  CHECK(made[0].item() == 2);
  CHECK(backend->memory()->stats().allocated < 1000);
}

TEST_CASE("a graph names a group that torch exchanges with") {
  if (!has_torch()) return skip_without_torch();
  std::string text;
  try {
    torch()->load(parse_graph(two_buckets), {})->run(inputs_of_rank(0));
  } catch (const DistributedError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("mithril.DistributedError[E0960]: s0: "));
}

}  // namespace mithril::tests
