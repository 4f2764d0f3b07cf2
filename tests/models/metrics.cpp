// Metrics of classification, on a table that can be checked by hand.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/auc.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/metrics.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {
namespace {

Tensor classes(const std::vector<int64_t>& values) {
  Tensor tensor(DType::int64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_values<int64_t>().begin());
  return tensor;
}

Tensor one_hot(const std::vector<int64_t>& values, int64_t count) {
  Tensor tensor = Tensor::full(DType::float64, {static_cast<int64_t>(values.size()), count}, 0.0);
  for (size_t i = 0; i < values.size(); ++i)
    tensor
        .mutable_values<double>()[i * static_cast<size_t>(count) + static_cast<size_t>(values[i])] =
        0.5;
  return tensor;
}

double measure(const Model& metric, const Tensor& pred, const Tensor& label) {
  const CompiledModel compiled =
      compile(metric, cpu({.dtype = DType::float64}), {.data_keys = {"pred"}});
  return compiled.evaluate({}, {{"pred", pred}, {"label", label}}).at("output").item();
}

// Class 0: 2 right, 1 wrongly predicted, none missed; class 1: 1 right, 1 wrongly predicted, 1
// missed; class 2: none right, none predicted, 1 missed; class 3 is nowhere.
const std::vector<int64_t> predicted{0, 0, 0, 1, 1}, labels{0, 0, 1, 1, 2};
const ClassFormat plain{.is_pred_one_hot = false, .is_label_one_hot = false};

double averaged(Model (*metric)(const AveragedMetricOptions&), Average average) {
  return measure(metric({.average = average, .n_classes = 4, .format = plain}), classes(predicted),
                 classes(labels));
}

}  // namespace

TEST_CASE("accuracy is the share of correct predictions") {
  CHECK(measure(Accuracy(), one_hot(predicted, 3), one_hot(labels, 3)) == doctest::Approx(0.6));
  CHECK(measure(Accuracy(plain), classes(predicted), classes(labels)) == doctest::Approx(0.6));
}

TEST_CASE("binary scores are compared with a threshold") {
  Tensor scores(DType::float64, {3});
  scores.mutable_values<double>()[0] = 0.2;
  scores.mutable_values<double>()[1] = 0.7;
  scores.mutable_values<double>()[2] = 0.4;
  const ClassFormat binary{
      .threshold = 0.3, .is_binary = true, .is_pred_one_hot = false, .is_label_one_hot = false};
  CHECK(measure(Accuracy(binary), scores, classes({0, 1, 0})) == doctest::Approx(2.0 / 3));
}

TEST_CASE("micro averages are the accuracy") {
  CHECK(averaged(Precision, Average::micro) == doctest::Approx(0.6));
  CHECK(averaged(Recall, Average::micro) == doctest::Approx(0.6));
  CHECK(averaged(F1, Average::micro) == doctest::Approx(0.6));
}

TEST_CASE("macro averages are over the classes among the labels") {
  CHECK(averaged(Precision, Average::macro) == doctest::Approx((2.0 / 3 + 1.0 / 2 + 0) / 3));
  CHECK(averaged(Recall, Average::macro) == doctest::Approx((1.0 + 1.0 / 2 + 0) / 3));
  CHECK(averaged(F1, Average::macro) == doctest::Approx((2 / 2.5 + 1 / 2.0 + 0) / 3));
}

TEST_CASE("weighted averages count each class as often as it is a label") {
  CHECK(averaged(Precision, Average::weighted) == doctest::Approx((2 * 2.0 / 3 + 2 * 0.5 + 0) / 5));
  CHECK(averaged(Recall, Average::weighted) == doctest::Approx((2 * 1.0 + 2 * 0.5 + 0) / 5));
  CHECK(averaged(F1, Average::weighted) == doctest::Approx((2 * 0.8 + 2 * 0.5 + 0) / 5));
}

TEST_CASE("a metric also returns the predicted classes") {
  const CompiledModel compiled = compile(Metric(), cpu(), {.data_keys = {"pred"}});
  const TensorMap outputs =
      compiled.evaluate({}, {{"pred", one_hot({2, 0}, 3)}, {"label", one_hot({1, 0}, 3)}});
  CHECK(outputs.at("pred_formatted").at_as_double(0) == 2);
  CHECK(outputs.at("label_formatted").at_as_double(0) == 1);
  CHECK(outputs.at("output").at_as_double(0) == 1);
  CHECK(outputs.at("output").at_as_double(1) == 0);
}

TEST_CASE("the area under the curve is the share of correctly ordered pairs") {
  Tensor scores(DType::float64, {4, 2});
  const std::vector<double> values{0.9, 0.1, 0.6, 0.4, 0.7, 0.3, 0.2, 0.8};
  std::copy(values.begin(), values.end(), scores.mutable_values<double>().begin());
  // Class 0 (samples 0 and 1): 3 of 4 pairs are in order. The same holds for class 1.
  CHECK(measure(AUC({.n_classes = 2, .is_label_one_hot = false}), scores, classes({0, 0, 1, 1})) ==
        doctest::Approx(0.75));
  CHECK(measure(AUC({.n_classes = 2}), scores, one_hot({0, 0, 1, 1}, 2)) == doctest::Approx(0.75));
  // Pairs that share a score count half: of 4 pairs two are in order and two are tied.
  Tensor shared(DType::float64, {4});
  const std::vector<double> tied{0.5, 0.5, 0.2, 0.5};
  std::copy(tied.begin(), tied.end(), shared.mutable_values<double>().begin());
  const Model one = AUC({.n_classes = 1, .is_label_one_hot = false});
  CHECK(measure(one, shared, classes({0, 0, 1, 1})) == doctest::Approx(0.75));
  CHECK(text_of_error([] { AUC({.n_classes = 0}); }) ==
        "mithril.ValueError[E0402]: AUC: argument 'n_classes' is out of range\n"
        "  expected : at least 1\n"
        "  got      : 0");
}

TEST_CASE("metrics refuse arguments that do not fit") {
  CHECK(text_of_error([] { Accuracy({.is_binary = true}); }) ==
        "mithril.ValueError[E0402]: Accuracy: argument 'threshold' is out of range\n"
        "  expected : a number, for is_binary\n"
        "  got      : None");
  CHECK(text_of_error([] {
          make_model("F1", {{"average", "mean"}});
        }) ==
        "mithril.ValueError[E0402]: F1: argument 'average' is out of range\n"
        "  expected : micro, macro or weighted\n"
        "  got      : \"mean\"");
  CHECK(text_of_error([] { Recall({.average = Average::macro}); }) ==
        "mithril.ValueError[E0402]: Recall: argument 'n_classes' is out of range\n"
        "  expected : the number of classes, for macro\n"
        "  got      : None");
}

}  // namespace mithril::tests
