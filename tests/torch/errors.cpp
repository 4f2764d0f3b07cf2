// Errors of the torch backend, if it was built.
#include <doctest/doctest.h>

#include <string>

#include "backends/torch/torch.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/errors/foreign_tensor.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

using tests::has_torch, tests::skip, tests::skip_without_torch, tests::text_of_error;

Graph one_node(const OpDef& op) {
  Graph graph;
  const ValueId x = graph.add_input({.name = "x", .dims = {Dim(2)}, .dtype = DType::float32});
  graph.add_output("y", graph.add(op, {x}, "y").front());
  return graph;
}

}  // namespace

TEST_CASE("memory on mps cannot be limited") {
  if (!has_torch()) return skip_without_torch();
  const std::string text =
      text_of_error([] { torch({.device = "mps", .memory_limit = int64_t{1} << 30}); });
  if (text.find("E1005") != std::string::npos) {
    skip("torch has no mps");
    return;
  }
  CHECK(text ==
        "mithril.BackendError[E1002]: backend 'torch' does not support memory_limit on mps yet");
}

TEST_CASE("a tensor of a library that torch does not know is refused") {
  if (!has_torch()) return skip_without_torch();
  const auto executable = torch()->load(one_node(find_op("relu")), {});
  const Tensor tensor = tests::foreign_tensor();
  const std::string text = text_of_error([&] { executable->run(std::vector<Tensor>{tensor}); });
  CHECK(text.starts_with(
      "mithril.TypeError[E0388]: a tensor of abacus 3 was given to a backend of torch "));
  CHECK(text.ends_with("  help: give its host()"));
}

TEST_CASE("an op without a deterministic kernel is refused where that is asked for") {
  if (!has_torch()) return skip_without_torch();
  OpDef op = find_op("relu");
  op.spell = {{"torch", "aten::put(input, aten::argsort(input), input)"}};
  const std::vector<Tensor> inputs{Tensor::of<float>({2}, {1, 2})};
  const auto run = [&](const TorchOptions& options) {
    return torch(options)->load(one_node(op), {})->run(inputs).front();
  };
  CHECK(
      text_of_error([&] { run({.deterministic = true}); })
          .starts_with("mithril.BackendError[E1024]: y: torch cannot run relu deterministically\n "
                       " spelling   : aten::put(input, aten::argsort(input), input)\n"
                       "  torch says : put_ does not have a deterministic implementation"));
  CHECK(identical(run({}).host(), inputs.front()));
  CHECK(identical(run({.benchmark = true}).host(), inputs.front()));
}

TEST_CASE("a spelling that torch has no operator for is refused") {
  if (!has_torch()) return skip_without_torch();
  OpDef op = find_op("relu");
  op.spell = {{"torch", "aten::no_such(input)"}};
  const auto executable = torch()->load(one_node(op), {});
  const Tensor tensor = Tensor::of<float>({2}, {1, 2});
  CHECK(text_of_error([&] { executable->run(std::vector<Tensor>{tensor}); }) ==
        "mithril.BackendError[E1011]: this torch has no operator for aten::no_such(Tensor)");
}

}  // namespace mithril
