// Evaluators: known results, merging, and batches that do not fit.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/metrics/classification.hpp"
#include "mithril/metrics/perplexity.hpp"
#include "mithril/metrics/ranking.hpp"
#include "mithril/metrics/regression.hpp"
#include "mithril/training/model_score.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

using metrics::AreaUnderCurve;
using metrics::EvaluatedKeys;
using metrics::Evaluator;
using metrics::ExactSum;
using metrics::F1Score;
using metrics::MeanSquaredError;
using metrics::ModelScore;
using metrics::Perplexity;
using metrics::TopKAccuracy;

const EvaluatedKeys of_labels = {.prediction = "y", .target = "label"};

TensorMap scored(const std::vector<float>& scores, const std::vector<std::int64_t>& labels) {
  const auto rows = std::ssize(labels), classes = std::ssize(scores) / rows;
  return {{"y", Tensor::of<float>({rows, classes}, scores)},
          {"label", Tensor::of<std::int64_t>({rows}, labels)}};
}

TensorMap classified(const std::vector<std::int64_t>& found,
                     const std::vector<std::int64_t>& labels) {
  return {{"y", Tensor::of<std::int64_t>({std::ssize(found)}, found)},
          {"label", Tensor::of<std::int64_t>({std::ssize(labels)}, labels)}};
}

TensorMap ranked(const std::vector<float>& scores, const std::vector<std::int64_t>& labels) {
  return {{"y", Tensor::of<float>({std::ssize(scores)}, scores)},
          {"label", Tensor::of<std::int64_t>({std::ssize(labels)}, labels)}};
}

double of_one_batch(Evaluator&& evaluator, const TensorMap& batch) {
  evaluator.update(batch);
  return evaluator.compute();
}

constexpr float nan_score = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("accuracy counts right classes and largest scores") {
  CHECK(of_one_batch(metrics::Accuracy(of_labels), classified({0, 2, 1, 1}, {0, 2, 2, 1})) == 0.75);
  const TensorMap batch = scored({1, 3, 2, 5, 5, 1, nan_score, 0, 0, 0, 0, 4}, {1, 0, 0, 2});
  CHECK(of_one_batch(metrics::Accuracy(of_labels), batch) ==
        0.75);  // equal: the first one; NaN: wrong
}

TEST_CASE("top-k accuracy takes the smaller class of equal scores first") {
  const TensorMap batch = scored({3, 2, 1, 3, 2, 1, 3, 2, 2, nan_score, 1, 0}, {0, 2, 2, 0});
  CHECK(of_one_batch(TopKAccuracy(1, of_labels), batch) == 0.25);
  CHECK(of_one_batch(TopKAccuracy(2, of_labels), batch) == 0.25);
  CHECK(of_one_batch(TopKAccuracy(3, of_labels), batch) == 0.75);
}

TEST_CASE("F1 scores of two and of more classes") {
  const TensorMap two = classified({1, 1, 0, 0, 1}, {1, 0, 1, 0, 1});
  CHECK(of_one_batch(F1Score(F1Score::Average::binary, of_labels), two) == 2.0 / 3);
  CHECK(of_one_batch(F1Score(F1Score::Average::binary, of_labels), classified({0}, {0})) == 0);
  const TensorMap more = classified({0, 1, 2, 0, 3}, {0, 1, 1, 1, 0});
  // Class 0: 2/4, class 1: 2/4, classes 2 and 3: 0.
  CHECK(of_one_batch(F1Score(F1Score::Average::macro, of_labels), more) == 0.25);
  CHECK(of_one_batch(F1Score(F1Score::Average::weighted, of_labels), more) == 0.5);
  CHECK(of_one_batch(F1Score(F1Score::Average::micro, of_labels), more) == 0.4);
}

TEST_CASE("the area under the curve counts ordered pairs, and equal scores half") {
  const TensorMap batch = ranked({0.1F, 0.4F, 0.4F, 0.8F}, {0, 0, 1, 1});
  CHECK(of_one_batch(AreaUnderCurve(of_labels), batch) == 0.875);
  CHECK(of_one_batch(AreaUnderCurve(of_labels), ranked({2, 1}, {0, 1})) == 0);
  AreaUnderCurve curve(of_labels);
  curve.update(ranked({1, 2}, {1, 1}));
  CHECK(text_of_error([&] { curve.compute(); }) ==
        "mithril.ValueError[E0451]: AreaUnderCurve: all targets are 1\n"
        "  help: the area is defined for targets of both classes");
}

TEST_CASE("the mean squared error and the perplexity") {
  const TensorMap numbers = {{"prediction", Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                             {"target", Tensor::of<double>({2, 2}, {1, 0, 3, 1})}};
  CHECK(of_one_batch(MeanSquaredError(), numbers) == 3.25);
  const TensorMap equal = scored({7, 7, 7, 7, 0, 0, 0, 0}, {3, 0});
  CHECK(of_one_batch(Perplexity({}, of_labels), equal) == doctest::Approx(4).epsilon(1e-15));
  const TensorMap ignored = scored({7, 7, 7, 7, 900, 0, 0, 0}, {3, -100});
  CHECK(of_one_batch(Perplexity(-100, of_labels), ignored) == doctest::Approx(4).epsilon(1e-15));
}

TEST_CASE("a sum of doubles is rounded once, in any order") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> numbers;
    for (int i = 0; i < 100; ++i) {
      const double size = std::ldexp(1.0, static_cast<int>(random() % 200) - 100);
      numbers.push_back(size * (static_cast<double>(random() % 2001) - 1000));
    }
    ExactSum forward, backward, halves, second;
    for (const double number : numbers) forward.add(number);
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) backward.add(*number);
    for (size_t i = 0; i < numbers.size(); ++i) (i % 3 == 0 ? halves : second).add(numbers[i]);
    halves.add(second);
    CHECK(forward.value() == backward.value());
    CHECK(forward.value() == halves.value());
  }
  ExactSum sum;
  for (const double number : {1e100, 1.0, -1e100, std::ldexp(1.0, -60)}) sum.add(number);
  CHECK(sum.value() == 1.0);
  sum.add(-1.0);
  CHECK(sum.value() == std::ldexp(1.0, -60));
  ExactSum infinite;
  for (const double number : {1.0, HUGE_VAL, 2.0}) infinite.add(number);
  CHECK(infinite.value() == HUGE_VAL);
  infinite.add(-HUGE_VAL);
  CHECK(std::isnan(infinite.value()));
}

TEST_CASE("the result does not depend on the batches") {
  std::mt19937 random(5);
  std::vector<float> scores;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(static_cast<std::int64_t>(random() % 3));
  for (int i = 0; i < 180; ++i) scores.push_back(static_cast<float>(random() % 1000) / 7);
  const auto part = [&](size_t first, size_t end) {
    return scored(
        {scores.begin() + 3 * static_cast<int>(first), scores.begin() + 3 * static_cast<int>(end)},
        {labels.begin() + static_cast<int>(first), labels.begin() + static_cast<int>(end)});
  };
  using Make = std::unique_ptr<Evaluator> (*)();
  const Make makes[] = {
      [] { return std::unique_ptr<Evaluator>(new metrics::Accuracy(of_labels)); },
      [] { return std::unique_ptr<Evaluator>(new TopKAccuracy(2, of_labels)); },
      [] { return std::unique_ptr<Evaluator>(new F1Score(F1Score::Average::macro, of_labels)); },
      [] { return std::unique_ptr<Evaluator>(new Perplexity({}, of_labels)); }};
  for (const Make make : makes) {
    const auto whole = make(), first = make(), second = make();
    CAPTURE(whole->name());
    whole->update(part(0, 60));
    for (size_t i = 0; i < 60; i += 7) {
      (i % 2 == 0 ? first : second)->update(part(i, std::min<size_t>(i + 7, 60)));
    }
    const auto unpacked = make();
    for (const auto* each : {first.get(), second.get()}) unpacked->merge_packed(*each->packed());
    CHECK(unpacked->compute() == whole->compute());
    second->merge(*first);
    CHECK(second->compute() == whole->compute());
    second->reset();
    second->update(part(0, 60));
    CHECK(second->compute() == whole->compute());
  }
}

TEST_CASE("packed rows of numbers and scores are those of the evaluator") {
  const auto check = [](Evaluator&& one, Evaluator&& other, Evaluator&& whole,
                        const TensorMap& first, const TensorMap& second) {
    CAPTURE(whole.name());
    for (const TensorMap* batch : {&first, &second}) whole.update(*batch);
    one.update(first);
    other.update(second);
    other.merge_packed(*one.packed());
    CHECK(other.compute() == whole.compute());
  };
  const TensorMap first = ranked({0.1F, 0.9F, 0.3F}, {0, 1, 1}), second = ranked({0.2F}, {0});
  check(AreaUnderCurve(of_labels), AreaUnderCurve(of_labels), AreaUnderCurve(of_labels), first,
        second);
  check(MeanSquaredError(of_labels), MeanSquaredError(of_labels), MeanSquaredError(of_labels),
        first, second);
  ExactSum sum;
  for (const double number : {1.0, HUGE_VAL}) sum.add(number);
  CHECK(sum.numbers() == std::vector<double>{HUGE_VAL});
}

TEST_CASE("a compiled model scores batches") {
  Model model;
  model |= Model::op("subtract")({{"left", IOKey{.name = "y", .shape = {{"N"}}}},
                                  {"right", IOKey{.name = "t", .shape = {{"N"}}}},
                                  {"output", "difference"}});
  model |= Model::op("absolute")({{"input", "difference"}, {"output", "distance"}});
  model |= Model::op("mean")({{"input", "distance"}, {"output", "average"}});
  model.expose_keys({"distance", "average"});
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"y", "t"}});
  const auto batch = [](const std::vector<float>& y, const std::vector<float>& t) {
    return TensorMap{{"y", Tensor::of<float>({std::ssize(y)}, y)},
                     {"t", Tensor::of<float>({std::ssize(t)}, t)},
                     {"other", Tensor::of<float>({1}, {1})}};
  };
  for (const std::string output : {"distance", "average"}) {
    ModelScore score(compiled, {}, {}, output);
    score.update(batch({1, 2, 3}, {1, 1, 1}));
    ModelScore last(compiled, {}, {}, output);
    last.update(batch({9}, {0}));
    ModelScore unpacked(compiled, {}, {}, output);
    for (const ModelScore* each : {&score, &last}) unpacked.merge_packed(*each->packed());
    CHECK(unpacked.compute() == 3);
    score.merge(last);
    CHECK(score.compute() == 3);
  }
  CHECK(text_of_error([&] {
          ModelScore(compiled, {}, {}, "distnace");
        }).starts_with("mithril.NameError[E0606]: there is no output 'distnace'"));
}

TEST_CASE("the first tensor of a batch counts the rows of a scored model") {
  Model model;
  model |= Model::op("multiply")({{"left", IOKey{.name = "factor", .shape = ShapeSpec{}}},
                                  {"right", IOKey{.name = "x", .shape = {{"N"}}}},
                                  {"output", "scaled"}});
  model |= Model::op("mean")({{"input", "scaled"}, {"output", "average"}});
  model.expose_keys({"average"});
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"factor", "x"}});
  ModelScore score(compiled, {}, {}, "average");
  for (const std::vector<float>& x : {std::vector<float>{1, 1, 1}, std::vector<float>{5}})
    score.update({{"x", Tensor::of<float>({std::ssize(x)}, x)}, {"factor", Tensor::scalar(1.0F)}});
  CHECK(score.compute() == 2);
}

TEST_CASE("errors of evaluators name the evaluator and the key") {
  metrics::Accuracy accuracy(of_labels);
  CHECK(text_of_error([&] { accuracy.compute(); }) ==
        "mithril.StateError[E0930]: Accuracy: compute was called before the first row\n"
        "  help: call update with a batch first");
  CHECK(text_of_error([&] {
          accuracy.update({{"y", Tensor()}});
        }) ==
        "mithril.InputError[E0890]: Accuracy: the batch lacks 'label'\n"
        "  known : y\n"
        "  help: name the keys when the evaluator is made");
  CHECK(text_of_error([&] {
          accuracy.update(scored({1, 2, 3, 4}, {0, 1}));
        }) == "nothing was raised");
  CHECK(text_of_error([&] {
          accuracy.update(
              {{"y", Tensor::of<float>({2}, {1, 2})}, {"label", Tensor::of<float>({2}, {1, 2})}});
        }) ==
        "mithril.InputError[E0892]: Accuracy: 'label' is float32, expected ints or bools: classes");
  CHECK(text_of_error([&] {
          MeanSquaredError(of_labels).update(classified({1, 2}, {1, 2, 3}));
        }) ==
        "mithril.InputError[E0891]: MeanSquaredError: 'y' has the dims [2], expected [3] as the "
        "target");
  CHECK(text_of_error([&] {
          TopKAccuracy(1, of_labels).update(scored({1, 2, 3}, {3}));
        }) == "mithril.InputError[E0893]: TopKAccuracy: 'label' has the class 3, expected 0 to 2");
  CHECK(text_of_error([&] { TopKAccuracy(0); }) ==
        "mithril.ValueError[E0450]: TopKAccuracy: k is 0, expected at least 1");
  CHECK(text_of_error([&] { accuracy.merge(MeanSquaredError()); }) ==
        "mithril.TypeError[E0310]: Accuracy: an evaluator of another kind cannot be merged\n"
        "  got : MeanSquaredError\n"
        "  help: merge evaluators of the same class with the same options");
  CHECK(text_of_error([&] {
          TopKAccuracy(1).merge(TopKAccuracy(2));
        }).starts_with("mithril.TypeError[E0310]: TopKAccuracy: "));
  CHECK(text_of_error([&] {
          F1Score(F1Score::Average::binary, of_labels).update(classified({2}, {0}));
        }).starts_with("mithril.InputError[E0893]: F1Score: 'y' has the class 2"));
}

TEST_CASE("scores of one class are not classes") {
  metrics::Accuracy accuracy(of_labels);
  CHECK(text_of_error([&] {
          accuracy.update(scored({0.25f, 0.75f}, {0, 1}));
        }) ==
        "mithril.InputError[E0891]: Accuracy: 'y' has the dims [2, 1], expected scores of at least "
        "2 classes\n"
        "  help: make classes of one score: compare it with a threshold, and reshape the result to "
        "[2]");
}

TEST_CASE("numbers in other dims than the target are refused") {
  MeanSquaredError error(of_labels);
  const TensorMap batch{{"y", Tensor::full(DType::float32, {2, 1}, 1)},
                        {"label", Tensor::full(DType::float32, {2}, 1)}};
  CHECK(text_of_error([&] { error.update(batch); }) ==
        "mithril.InputError[E0891]: MeanSquaredError: 'y' has the dims [2, 1], expected [2] as the "
        "target\n"
        "  help: reshape one of them");
}

}  // namespace mithril::tests
