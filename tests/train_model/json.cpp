// Training models as JSON, and back.
#include <doctest/doctest.h>

#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/json/check_round_trip.hpp"
#include "tests/train_model/training.hpp"

namespace mithril::tests {
namespace {

std::string refusal_of_json(const std::string& fields) {
  const std::string text = text_of_error(
      [&] { from_json(R"({"name": "TrainModel", "model": "Linear", )" + fields + "}"); });
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("a training model is read as its cases are written") {
  const Model read = from_json(R"({
    "model": {"name": "Linear", "args": {"dimension": 1}},
    "output_specs": {"output": {"loss": {"fn": "CrossEntropy", "params": {"input_type": "probs"}},
                                "reduce_steps": ["Mean"], "target_key": "target"}},
    "regularizations": [{"model": "l2", "coef": {"tensor": 0.1}, "input": "^w", "regex": true}],
    "final_loss_combiner": "Mean"})");
  TrainModel train{Linear({.dimension = 1})};
  train.add_loss(CrossEntropy({.input_type = CrossEntropyInputType::probs}),
                 {{"input", "output"}, {"target", "target"}});
  train.add_regularization(L2(), 0.1, KeyPattern{"^w"}, {.reg_key = "input"});
  train.set_loss_combiner(Mean());
  CHECK(read == train);
  check_round_trip(train);
  CHECK(TrainModel::of(read).has_value());
  CHECK_FALSE(TrainModel::of(line()).has_value());
}

TEST_CASE("a train model that the short form cannot express is written in full") {
  TrainModel train(line());
  train.set_shapes({{"input", {any, 1}}});
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", column({1, 2})}},
                 {.reduce_steps = {Max({.axis = 0}), Sum()}, .key_name = "far", .coef = 2.0});
  train.add_loss(AbsoluteError(), {{"input", "output"}, {"target", IOKey{.name = "t"}}});
  train.add_metric(SquaredError(), {{"input", "t"}, {"target", "output"}});
  train.add_regularization(QuadraticFormRegularizer(), 0.5,
                           {{"input", "weight"}, {"kernel", column({3})}}, {.reg_key = "input"});
  train.add_regularization(L1(), 0.5, {{"input", "bias"}}, {.key_name = "penalty"});
  check_round_trip(train);
}

TEST_CASE("a training model inside another model is written with its losses") {
  TrainModel train(line());
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  Model outer;
  outer |= train({{"input", "x"}, {"final_cost", "cost"}});
  check_round_trip(outer);
}

TEST_CASE("training models differ by their losses and coefficients") {
  const auto made = [](double coef) {
    TrainModel train(line());
    train.add_loss(SquaredError(), {{"input", "output"}, {"target", "t"}}, {.coef = coef});
    return train;
  };
  CHECK(made(1) == made(1));
  CHECK_FALSE(made(1) == made(2));
}

TEST_CASE("mistakes in the JSON of a training model name their place") {
  CHECK(
      refusal_of_json(R"("output_specs": {"ouptut": {"loss": "SquaredError", "target_key": "t"}})")
          .starts_with("mithril.ConnectionError[E0114]: /output_specs/ouptut: add_loss: no port"));
  CHECK(refusal_of_json(R"("output_specs": {"output": {"loss": "SquaerdError"}})") ==
        "mithril.NameError[E0608]: /output_specs/output/loss: there is no model 'SquaerdError'");
  CHECK(refusal_of_json(R"("output_specs": {"output": {"loss": {"fn": "CrossEntropy",
                   "params": {"input_tpye": 1}}}})") ==
        "mithril.NameError[E0605]: /output_specs/output/loss/params: CrossEntropy has no argument "
        "'input_tpye'");
  CHECK(refusal_of_json(R"("output_specs": {"output": {"los": "SquaredError"}})") ==
        "mithril.NameError[E0640]: /output_specs/output: there is no field 'los'");
  CHECK(refusal_of_json(R"("regularizations": [{"model": "l2", "input": "weight"}])") ==
        "mithril.ParseError[E0727]: /regularizations/0: the field 'coef' is missing");
  CHECK(
      refusal_of_json(R"("regularizations": [{"model": "l2", "coef": "x", "input": "weight"}])") ==
      "mithril.ParseError[E0726]: /regularizations/0/coef: this does not fit here");
  CHECK(refusal_of_json(R"("regularizations": [{"model": "l2", "coef": 1, "input": "wieght"}])") ==
        "mithril.NameError[E0606]: /regularizations/0: there is no key 'wieght'");
}

}  // namespace mithril::tests
