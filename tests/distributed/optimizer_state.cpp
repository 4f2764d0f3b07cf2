// Processes whose optimizers have other states are refused before they exchange tensors.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "mithril/training/training_step.hpp"
#include "tests/distributed/on_each_rank.hpp"

namespace mithril::tests {
namespace {

// The errors of a step after process 1 has loaded another tensor `key` of the optimizer's state.
std::vector<std::string> errors_of_other(const std::string& key) {
  return on_each_rank(3, [&](Communicator& own) {
    Model layers;
    layers |= Linear({.dimension = 2, .use_bias = false})(
        {{"input", "x"}, {"weight", "w"}, {"output", "y"}});
    TrainModel train(layers);
    train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
    const CompiledModel compiled =
        compile(train, cpu(), {.shapes = {{"x", {any, 3}}}, .group = communicator(own.name())});
    AdamW optimizer({.lr = 0.01});
    TrainingStep step(compiled, optimizer, {.average = EMA{0.9}});
    TensorMap params = compiled.get_parameters();
    const TensorMap rows = {{"x", Tensor::ones({2, 3})}, {"t", Tensor::ones({2, 2})}};
    step(params, rows);
    TensorMap state = optimizer.state_dict();
    if (own.rank() == 1 && !key.empty()) {
      Tensor other = state.at(key).copy();
      if (other.dtype() == DType::int64)
        other.mutable_data<std::int64_t>()[0] += 1;
      else
        other.mutable_data<float>()[0] += 1;
      state[key] = other;
    }
    optimizer.load_state_dict(state);
    step(params, rows);
  });
}

void check_state_refused(const std::string& key, const std::string& entry) {
  const std::string expected =
      "mithril.DistributedError[E0964]: TrainingStep: the processes of group 'threads' differ in "
      "'" +
      entry + "'\n";
  for (const std::string& error : errors_of_other(key)) {
    CAPTURE(error);
    CHECK(error.starts_with(expected));
  }
}

}  // namespace

TEST_CASE("processes whose optimizers have other slots, steps or averages are refused") {
  CHECK(errors_of_other("") == no_errors(3));
  check_state_refused("w.exp_avg", "exp_avg of 'w'");
  check_state_refused("w.exp_avg_sq", "exp_avg_sq of 'w'");
  check_state_refused("w.step", "step of 'w'");
  check_state_refused("w.average", "average of 'w'");
  check_state_refused("averaged", "averaged");
}

}  // namespace mithril::tests
