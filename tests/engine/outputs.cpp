// An engine answers with the requested outputs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

CompiledModel trained_line() {
  Model net;
  net |= Linear({.dimension = 1})({{"input", "x"}, {"output", "y"}});
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  return compile(train, cpu(), {.shapes = {{"x", {"N", 2}}, {"t", {"N", 1}}}});
}

}  // namespace

TEST_CASE("an engine serves a trained model without labels") {
  const CompiledModel compiled = trained_line();
  const TensorMap params = compiled.get_parameters();
  const TensorMap x = {{"x", Tensor::full(DType::float32, {3, 2}, 1.0)}};
  TensorMap batch = x.share();
  batch["t"] = Tensor(DType::float32, {3, 1});
  Engine engine;
  engine.register_model("net", compiled, params, {.max_batch_size = 8});
  CHECK(engine.infer("net", x).keys() == std::vector<std::string>{"y"});
  CHECK(engine.infer("net", batch).keys() == std::vector<std::string>{"y"});
  CHECK(engine.model_info("net").inputs.size() == 1);
  engine.register_model("cost", compiled, params, {.outputs = {"final_cost"}});
  CHECK(engine.infer("cost", batch).at("final_cost").rank() == 0);
  CHECK(tests::text_of_error([&] { engine.infer("cost", x); }) ==
        "mithril.InputError[E0801]: the request lacks t\n"
        "  expected   : x, t\n"
        "  got        : x\n"
        "  needed for : final_cost");
  CHECK(tests::text_of_error([&] {
          engine.register_model("other", compiled, params, {.outputs = {"cost"}});
        }).starts_with("mithril.InputError[E0807]: there is no output 'cost'"));
}

}  // namespace mithril
