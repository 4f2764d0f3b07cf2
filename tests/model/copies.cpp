// Copies of models, and parts of models as models.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Names = std::vector<std::string>;

std::vector<float> elements(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

Model network() {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}});
  net += BatchNorm1D();
  net += Softmax({.axis = 1})({{"output", "y"}});
  return net;
}

const TensorMap two_rows = {{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 5})}};

}  // namespace

TEST_CASE("a part of another model compiles like a model") {
  const Model net = network();
  Model outer;
  outer |= net({{"x", "x"}, {"y", "y"}});
  outer |= SquaredError()({{"input", "y"}, {"target", "t"}, {"output", "loss"}});
  outer.set_shapes({{"x", {"N", 2}}});
  const CompiledModel whole = compile(outer, cpu(), {.data_keys = {"t"}}),
                      part = compile(net, cpu()),
                      alone = compile(network(), cpu(), {.shapes = {{"x", {"N", 2}}}});
  CHECK(part.parameter_keys() == alone.parameter_keys());
  CHECK(part.data_keys() == Names{"x"});
  const TensorMap params = whole.get_parameters();
  const State state = whole.initial_state_dict();
  TensorMap inner;
  for (const std::string& key : part.parameter_keys()) inner[key] = params.at("model." + key);
  CHECK(elements(part.infer(inner, two_rows, part.initial_state_dict()).at("y")) ==
        elements(whole.infer(params, two_rows, state).at("y")));
  CHECK(to_json(net) == to_json(network()));
  CHECK(net == network());
  CHECK(text_of_error([&] {
          Model(net).set_shapes({{"x", {3, 2}}});
        }).starts_with("mithril.ConnectionError[E0104]"));
}

TEST_CASE("an op that is a part compiles alone, with its values") {
  const Model softmax = Softmax();
  Model outer;
  outer |= Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  outer |= softmax({{"input", "h"}, {"axis", 0}, {"output", "y"}});
  const CompiledModel compiled = compile(softmax, cpu());
  CHECK(compiled.data_keys() == Names{"input"});
  CHECK(elements(
            compiled.evaluate({}, {{"input", Tensor::of<float>({2, 1}, {4, 4})}}).at("output")) ==
        std::vector<float>{0.5, 0.5});
}

TEST_CASE("a copy equals its model and is independent of it") {
  Model net = network();
  Model copy = net.copy();
  CHECK(copy == net);
  copy.set_shapes({{"x", {"N", 7}}});
  CHECK(copy != net);
  Model outer;
  outer |= net({{"x", "x"}});
  outer |= copy({{"x", "z"}});
  CHECK(outer.input_keys().size() > net.input_keys().size());
}

TEST_CASE("a copy of a training model takes further losses") {
  Model net;
  net |= Linear({.dimension = 1})({{"input", "x"}, {"output", "y"}});
  TrainModel train(net);
  train.add_loss(SquaredError(), {{"input", "y"}, {"target", "t"}});
  train.add_regularization(L2(), 0.5, KeyPattern{"weight"});
  const Model copied = train.copy();
  CHECK(copied == train);
  TrainModel copy = *TrainModel::of(copied);
  copy.add_loss(AbsoluteError(), {{"input", "y"}, {"target", "t"}});
  const auto cost = [&](const Model& model) {
    const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {2, 2}}}});
    TensorMap data = two_rows.share();
    data["t"] = Tensor(DType::float32, {2, 1});
    return compiled.evaluate(compiled.get_parameters(), data).at("final_cost").item();
  };
  CHECK(cost(train.copy()) == cost(train));
  CHECK(cost(copy) > cost(train));
}

}  // namespace mithril
