#include "backends/torch/kernels/update_in_place.hpp"

#include <ATen/ops/equal.h>

#include "tests/torch_internal/fused_chain.hpp"

namespace mithril::tests {
namespace {

// Parameters of these sizes with their steps (add_updates). Each parameter is donated.
struct Training : Chain {
  explicit Training(const std::vector<std::int64_t>& sizes) : inputs(add_updates(*this, sizes)) {
    for (std::size_t i = 0; i < sizes.size(); ++i) donations.push_back({i, 1 + 2 * i});
  }

  const at::Tensor& parameter(std::size_t i) const { return inputs[donations[i].input]; }
  void set_parameter(std::size_t i, at::Tensor to) { inputs[1 + 2 * i] = std::move(to); }
  void set_gradient(std::size_t i, at::Tensor to) { inputs[2 + 2 * i] = std::move(to); }

  // Checks the results against those of operators. Returns which parameters were written in place.
  std::vector<bool> step() {
    const Tensors expected = run(lowered(), inputs);
    Tensors before;
    for (const at::Tensor& input : inputs) before.push_back(input.clone());
    TorchProgram program = lowered();
    fuse_nodes(graph, program, device);
    update_in_place(graph, program, donations);
    const Tensors ignored = run(program, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(at::equal(inputs[i], before[i]));
    const Tensors got = run(program, inputs, Donated::in_place);
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(at::allclose(ignored[i], expected[i]));
      CHECK(at::allclose(got[i], expected[i]));
    }
    std::vector<bool> in_place;
    for (const Donation& at : donations) {
      in_place.push_back(got[at.output].is_same(inputs[at.input]));
      if (!in_place.back()) CHECK(at::equal(inputs[at.input], before[at.input]));
    }
    return in_place;
  }

  Tensors inputs;
  std::vector<Donation> donations = {};
};

using Flags = std::vector<bool>;

}  // namespace

TEST_CASE("a batch overwrites the parameters that are donated") {
  Training training({4, 5000, 1, 0});
  CHECK((training.step() == Flags{true, true, true, true}));
  training.donations.erase(training.donations.begin() + 1);
  CHECK((training.step() == Flags{true, true, true}));
}

TEST_CASE("a parameter that a kernel cannot write as it is keeps its elements") {
  Training training({4, 8});
  training.set_parameter(0, at::randn({3, 4}).t());
  CHECK((training.step() == Flags{false, true}));
  training.set_parameter(0, at::randn({4, 3}).to(at::kDouble));
  CHECK((training.step() == Flags{false, true}));
}

TEST_CASE("no parameter is overwritten while another tensor shares its memory") {
  Training training({4, 8, 4});
  training.set_gradient(0, training.parameter(1).slice(0, 2, 6));
  CHECK((training.step() == Flags{false, false, false}));
  // Parameters may be parts of one tensor that nothing else reads.
  Training flat({4, 8});
  const at::Tensor all = at::randn({12, 3});
  flat.set_parameter(0, all.slice(0, 0, 4));
  flat.set_parameter(1, all.slice(0, 4, 12));
  CHECK((flat.step() == Flags{true, true}));
  flat.set_gradient(1, all.slice(0, 0, 8));
  CHECK((flat.step() == Flags{false, false}));
}

TEST_CASE("a parameter is overwritten after its other readers") {
  Training later({4, 8});
  const ValueId parameter = later.graph.inputs()[1];
  later.graph.add_output("total",
                         later.add("sum", {parameter, Datum(None{}), Datum(false)}, "total"));
  CHECK((later.step() == Flags{true, true}));  // the batch comes last
}

TEST_CASE("a parameter that is a result, or that a batch reads twice, is not overwritten") {
  Training output({4, 8});
  output.graph.add_output("old", output.graph.inputs()[3]);
  CHECK((output.step() == Flags{true, false}));

  Training twice({4, 4});
  const ValueId first = twice.graph.inputs()[1], second = twice.graph.inputs()[3];
  const ValueId move = twice.add("multiply", {first, twice.graph.inputs()[0]}, "m");
  twice.graph.add_output("n", twice.add("subtract", {second, move}, "n"));
  CHECK((twice.step() == Flags{false, false}));
}

}  // namespace mithril::tests
