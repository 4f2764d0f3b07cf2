// The errors of training models, as text; each leaves the model as it was.
#include <doctest/doctest.h>

#include <limits>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/regularizers.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/train_model/training.hpp"

namespace mithril::tests {
namespace {

TrainModel with_one_loss() {
  TrainModel train(line());
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  return train;
}

// Returns the error with which a training model with a loss refuses the change.
template <typename Change>
std::string refusal(Change change) {
  TrainModel train = with_one_loss();
  const std::string before = to_json(train);
  const std::string text = text_of_error([&] { change(train); });
  CHECK(to_json(train) == before);
  return text;
}

}  // namespace

TEST_CASE("a loss whose port is not bound is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_loss(SquaredError(), {{"input", "output"}});
        }) ==
        "mithril.ConnectionError[E0113]: port 'target' of SquaredError is not bound\n"
        "  ports : input, target\n"
        "  help: bind it to a key, a connection or a value");
}

TEST_CASE("a loss that reads no output of the model is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_loss(SquaredError(), {{"input", "ouptut"}, {"target", "label"}});
        }) ==
        "mithril.ConnectionError[E0114]: add_loss: no port of SquaredError is bound to an output "
        "of the model\n"
        "  outputs : output\n"
        "  got     : ouptut, label\n"
        "  help: did you mean 'output'?");
}

TEST_CASE("a loss is refused with a port that it lacks") {
  CHECK(refusal([](TrainModel& train) {
          train.add_loss(SquaredError(), {{"input", "output"}, {"tagret", "label"}});
        }) ==
        "mithril.NameError[E0604]: SquaredError has no port 'tagret'\n"
        "  known : input, target, output\n"
        "  help: did you mean 'target'?");
}

TEST_CASE("a loss that belongs to another model is refused") {
  CHECK(refusal([](TrainModel& train) {
          Model other;
          const Model loss = SquaredError();
          other |= loss({{"input", "a"}, {"target", "b"}});
          train.add_loss(loss, {{"input", "output"}, {"target", "label"}});
        }) ==
        "mithril.ConnectionError[E0103]: squarederror: this part belongs to a model already\n"
        "  help: make a new part for each place");
}

TEST_CASE("a loss with two outputs is refused") {
  CHECK(refusal([](TrainModel& train) {
          Model two;
          two |= Relu()({{"input", "input"}, {"output", "a"}});
          two |= Sine()({{"input", "input"}, {"output", "b"}});
          train.add_loss(two, {{"input", "output"}});
        }) ==
        "mithril.ConnectionError[E0117]: model: Model makes 2 outputs, and a training model reads "
        "one\n"
        "  outputs : a, b\n"
        "  help: expose one of them with expose_keys");
}

TEST_CASE("a coefficient that is not a finite number is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_loss(SquaredError(), {{"input", "output"}, {"target", "t"}},
                         {.coef = std::numeric_limits<double>::infinity()});
        }) ==
        "mithril.ValueError[E0402]: add_loss: argument 'coef' is out of range\n"
        "  expected : a finite number\n"
        "  got      : inf");
}

TEST_CASE("a key name that is taken is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}},
                         {.key_name = "output"});
        }) ==
        "mithril.NameError[E0607]: there is a key 'output' already\n"
        "  help: choose another key_name");
}

TEST_CASE("a model with an output final_cost is refused") {
  Model net;
  net |= Relu()({{"input", "x"}, {"output", "final_cost"}});
  CHECK(text_of_error([&] { TrainModel train(net); }) ==
        "mithril.NameError[E0607]: there is a key 'final_cost' already\n"
        "  help: rename_key it: a training model calls its cost so");
}

TEST_CASE("regularisation of an unknown key is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_regularization(L2(), 0.1, {{"input", "wieght"}});
        }) ==
        "mithril.NameError[E0606]: there is no key 'wieght'\n"
        "  known : input, weight, bias, target, output\n"
        "  help: did you mean 'weight'?");
}

TEST_CASE("regularisation of a value is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_regularization(L2(), 0.1, {{"input", Tensor::scalar(1.0)}});
        }) ==
        "mithril.ConnectionError[E0113]: port 'input' of L2 is bound to no key of the model\n"
        "  help: bind it to the regularised port");
}

TEST_CASE("a regular expression that matches no parameter is refused") {
  CHECK(refusal([](TrainModel& train) {
          train.add_regularization(L2(), 0.1, KeyPattern{"^input|w_[0-9]"});
        }) ==
        "mithril.NameError[E0621]: no parameter matches the regular expression '^input|w_[0-9]'\n"
        "  parameters : weight, bias");
}

TEST_CASE("a malformed regular expression is refused") {
  const std::string text = refusal(
      [](TrainModel& train) { train.add_regularization(L2(), 0.1, KeyPattern{"(weight"}); });
  CHECK(text.starts_with("mithril.ValueError[E0434]: '(weight' is not a regular expression\n"));
}

TEST_CASE("a regular expression takes no more time than names are long") {
  Model network;
  const std::string name(20'000, 'a');
  network |= Linear({.dimension = 1})({{"input", "x"}, {"weight", name}, {"output", "y"}});
  TrainModel train(network);
  const auto refused = [&](const std::string& pattern) {
    return text_of_error([&] { train.add_regularization(L2(), 0.1, KeyPattern{pattern}); });
  };
  CHECK(refused("(a*)*c").starts_with("mithril.NameError[E0621]"));
  CHECK(refused("a)(b").starts_with("mithril.ValueError[E0434]"));
  CHECK(refused(std::string(100'000, '(')).find("longer than 1000 characters") !=
        std::string::npos);
  train.add_regularization(L2(), 0.1, KeyPattern{"^a+$"});
  train.add_regularization(L2(), 0.1, KeyPattern{"bia"});
}

TEST_CASE("a regulariser for several parameters is refused without a port for them") {
  CHECK(refusal([](TrainModel& train) {
          train.add_regularization(L2(), 0.1, KeyPattern{"weight|bias"}, {.reg_key = "inptu"});
        }) ==
        "mithril.NameError[E0604]: L2 has no port 'inptu'\n"
        "  known : input, output\n"
        "  help: did you mean 'input'?");
}

TEST_CASE("a regular expression is refused for a model of the user") {
  CHECK(refusal([](TrainModel& train) {
          Model own;
          own |= Sum()({{"input", "input"}, {"output", "output"}});
          train.add_regularization(own, 0.1, KeyPattern{"weight|bias"});
        }) ==
        "mithril.TypeError[E0305]: a model argument must be an unmodified model of the library\n"
        "  got : Model   composed by its user\n"
        "  help: compose the outer model of parts instead");
}

TEST_CASE("a training model without a loss has no cost") {
  const TrainModel train(line());
  CHECK(train.output_keys() == std::vector<std::string>{"output"});
  CHECK(text_of_error([&] { compile(train, cpu()); }) ==
        "mithril.ConnectionError[E0116]: a training model without a loss has no cost\n"
        "  help: give it one with add_loss");
}

TEST_CASE("a cost that is not one number is refused") {
  TrainModel train = with_one_loss();
  train.set_loss_combiner(Relu());
  train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
  CHECK(text_of_error([&] { compile(train, cpu()); }) ==
        "mithril.ShapeError[E0211]: final_cost: the cost of a training model is one number\n"
        "  expected : []\n"
        "  got      : [2]\n"
        "  help: give set_loss_combiner a model that reduces the losses to one number");
}

TEST_CASE("a training model refuses parts of the user") {
  CHECK(refusal([](TrainModel& train) { train += Relu(); }) ==
        "mithril.ConnectionError[E0115]: TrainModel does not take further parts\n"
        "  help: change the model before it is trained, or give it losses, regularisation and "
        "metrics");
  CHECK(refusal([](TrainModel& train) {
          static_cast<void>(train.at("output") * 2.0);
        }).starts_with("mithril.ConnectionError[E0115]: TrainModel does not take further parts"));
  CHECK(refusal([](TrainModel& train) {
          train.rename_key("output", "y");
        }).starts_with("mithril.ConnectionError[E0115]: TrainModel does not take rename_key"));
  CHECK(refusal([](TrainModel& train) { static_cast<void>(train["more"]); })
            .starts_with("mithril.ConnectionError[E0115]: TrainModel does not take the new key "
                         "'more'"));
}

TEST_CASE("the cost cannot be bound before the training model is complete") {
  const std::string text =
      "mithril.NameError[E0606]: there is no key 'final_cost' yet\n"
      "  help: it is made when the model is compiled, or becomes a part: bind it then";
  CHECK(refusal([](TrainModel& train) { static_cast<void>(train["final_cost"]); }) == text);
  CHECK(refusal([](TrainModel& train) { static_cast<void>(train.at("final_cost")); }) == text);
}

TEST_CASE("a training model that is a part is frozen, like others") {
  TrainModel train = with_one_loss();
  Model outer;
  outer |= train;
  CHECK(text_of_error([&] {
          train.add_loss(SquaredError(), {{"input", "output"}, {"target", "target"}});
        }).starts_with("mithril.ConnectionError[E0104]: trainmodel: "));
}

}  // namespace mithril::tests
