// A target whose shape is not that of the prediction is refused, wherever its shape becomes known.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/comparisons.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/metrics.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/op/part.hpp"
#include "mithril/train_model/train_model.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

std::vector<Model> paired_losses() {
  return {SquaredError(),       AbsoluteError(),
          HingeLoss(),          QuadHingeLoss(),
          KLDivergence(),       QuantileLoss(),
          HuberLoss(),          SmoothL1Loss(),
          BinaryCrossEntropy(), CrossEntropy({.categorical = false})};
}

// The error of evaluating the loss of a prediction and a target of ones.
std::string refusal(const Model& loss, const std::vector<ShapeSpec>& stated, const Dims& prediction,
                    const Dims& target) {
  Model net;
  net |= Relu()({{"input", "x"}, {"output", "y"}});
  TrainModel train(net);
  train.add_loss(loss, {{"input", "y"}, {"target", "t"}});
  CompileOptions options;
  if (!stated.empty()) options.shapes = {{"x", stated[0]}};
  if (stated.size() > 1) options.shapes.emplace_back("t", stated[1]);
  options.data_keys = {"x", "t"};
  return text_of_error([&] {
    compile(train, cpu(), options)
        .evaluate({}, {{"x", Tensor::full(DType::float32, prediction, 1)},
                       {"t", Tensor::full(DType::float32, target, 1)}});
  });
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an error about a row as target of a column names the expected shape") {
  CHECK(refusal(SquaredError(), {{any, 1}}, {4, 1}, {4}) ==
        "mithril.InputError[E0803]: 't' has rank 1, expected 2\n"
        "  expected : [?1, 1]\n"
        "  got      : [4]\n"
        "  help: reshape it to [4, 1]");
}

TEST_CASE("no loss broadcasts a target, also of a rank that compile does not know") {
  for (const Model& loss : paired_losses()) {
    const std::string name = loss.part()->class_name();
    CAPTURE(name);
    CHECK(has(refusal(loss, {{any, 1}}, {4, 1}, {4}), "E0803"));
  }
  for (const Model& loss : paired_losses()) {
    const std::string name = loss.part()->class_name();
    CAPTURE(name);
    const std::string text = refusal(loss, {}, {4, 1}, {4});
    CHECK(has(text, "[4, 1]"));
    CHECK(has(text, "[4]"));
    CHECK(has(text, "need the same shape: reshape one of them"));
  }
  for (const Model& loss : paired_losses()) {
    const std::string name = loss.part()->class_name();
    CAPTURE(name);
    CHECK(has(refusal(loss, {}, {4, 3}, {4, 1}), "E0202"));
  }
}

TEST_CASE("a target whose stated rank differs is refused by compile") {
  CHECK(refusal(SquaredError(), {{any, 1}, {any}}, {4, 1}, {4}) ==
        "mithril.ShapeError[E0201]: t: ranks differ\n"
        "  one side   : [?1, 1]   given by shapes={\"x\": [None, 1]}\n"
        "  other side : [?2]\n"
        "  stated     : [None]    given by shapes={\"t\": [None]}\n"
        "  help: a model adds no dims by itself: state the other rank, and reshape the tensor");
}

TEST_CASE("a target that the model reshapes or repeats fits") {
  const auto cost = [](const Connection& target, const Dims& dims) {
    const Connection y = relu(Connection("x"));
    const Model net = Model::create({{"cost", squared_error(y, target)}});
    const CompiledModel compiled = compile(net, cpu(), {.data_keys = {"x", "t"}});
    return compiled
        .evaluate({}, {{"x", Tensor::full(DType::float32, {4, 1}, 3)},
                       {"t", Tensor::full(DType::float32, dims, 1)}})
        .at("cost");
  };
  const Tensor expected = Tensor::full(DType::float32, {4, 1}, 4);
  CHECK(identical(cost(Connection("t").reshape({-1, 1}), {4}), expected));
  CHECK(identical(cost(broadcast_to(Connection("t"), Datum(Tuple{4, 1})), {1}), expected));
}

TEST_CASE("metrics of classes pair predictions with labels") {
  const auto refused = [](const Model& metric, const Tensor& pred, const Tensor& label) {
    Model net;
    net |= metric({{"pred", "pred"}, {"label", "label"}, {"output", "output"}});
    return text_of_error([&] {
      compile(net, cpu(), {.data_keys = {"pred", "label"}})
          .evaluate({}, {{"pred", pred}, {"label", label}});
    });
  };
  const Tensor scores = Tensor::full(DType::float32, {4, 3}, 1),
               column = Tensor::full(DType::float32, {4, 1}, 1),
               ints = Tensor::full(DType::int64, {4}, 1),
               ints_column = Tensor::full(DType::int64, {4, 1}, 1);
  const ClassFormat of_ints{.is_label_one_hot = false},
      binary{
          .threshold = 0.5, .is_binary = true, .is_pred_one_hot = false, .is_label_one_hot = false};
  CHECK(refused(Accuracy(of_ints), scores, ints) == "nothing was raised");
  CHECK(has(refused(Accuracy(of_ints), scores, ints_column), "need the same shape"));
  CHECK(has(refused(Accuracy(binary), column, ints), "need the same shape"));
  CHECK(has(refused(Accuracy(), scores, column), "need the same shape"));
  CHECK(has(refused(F1({.format = binary}), column, ints), "need the same shape"));
  CHECK(has(refused(Metric(binary), column, ints), "need the same shape"));
}

}  // namespace mithril::tests
