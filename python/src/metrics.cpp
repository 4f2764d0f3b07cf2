// Evaluators, which measure models over the batches of a data set.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/metrics/classification.hpp"
#include "mithril/metrics/perplexity.hpp"
#include "mithril/metrics/ranking.hpp"
#include "mithril/metrics/regression.hpp"
#include "mithril/training/model_score.hpp"

namespace mithril::python {
namespace {

using metrics::AreaUnderCurve;
using metrics::EvaluatedKeys;
using metrics::Evaluator;
using metrics::F1Score;
using metrics::MeanSquaredError;
using metrics::ModelScore;
using metrics::Perplexity;
using metrics::TopKAccuracy;

constexpr const char* default_prediction = "prediction";
constexpr const char* default_target = "target";

EvaluatedKeys evaluated_keys(py::handle prediction, py::handle target) {
  return {text_of(prediction, "the key of predictions"), text_of(target, "the key of targets")};
}

F1Score::Average average_of(const std::string& average) {
  const std::vector<std::string> known = {"binary", "macro", "weighted", "micro"};
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i] == average) return static_cast<F1Score::Average>(i);
  unknown_member(ErrorKind::name, "E0605", "F1Score", "average", average, "", known);
}

std::optional<std::int64_t> ignored_token(py::handle ignored) {
  if (ignored.is_none()) return {};
  return argument("Perplexity", "ignored", [&] {
    if (!PyIndex_Check(ignored.ptr())) wrong_type(ignored, "a token, or None");
    return datum_of(ignored).integer();
  });
}

void update_evaluator(Evaluator& evaluator, const py::dict& batch) {
  const TensorMap tensors = tensor_map_of(batch);
  call_unlocked([&] { evaluator.update(tensors); });
}

template <class Kind, class Make>
void bind_keyed(py::module_& module, const char* name, const char* doc, const Make& make) {
  py::class_<Kind, Evaluator>(module, name, doc)
      .def(py::init(make), py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
}

template <class Kind>
void bind_keyed(py::module_& module, const char* name, const char* doc) {
  bind_keyed<Kind>(module, name, doc, [](py::handle prediction, py::handle target) {
    return Kind(evaluated_keys(prediction, target));
  });
}

}  // namespace

void bind_metrics(py::module_& module) {
  py::class_<Evaluator>(module, "Evaluator",
                        R"(The base class of evaluators, which measure a model over a data set.

An evaluator reads predictions and targets from batches by their keys. The result does not depend
on how the rows are divided into batches.

Example:
    evaluator = ml.metrics.MeanSquaredError(prediction="y", target="target")
    evaluator.update({**data, **compiled.evaluate(params, data)})
    error = evaluator.compute()

See docs/data.md.)")
      .def("update", update_evaluator, py::arg("batch"),
           R"(Adds the rows of a batch. After an error the evaluator is unchanged.

Args:
    batch: dict of arrays that contains the predictions and targets of N rows.

Raises:
    InputError: If a key is missing, or its shape, dtype or values do not fit.

Example:
    accuracy = ml.metrics.Accuracy()
    accuracy.update({"prediction": np.array([1, 0]), "target": np.array([1, 1])}))")
      .def("compute", &Evaluator::compute, py::call_guard<InterpreterUnlocked>(),
           R"(Returns the result over all rows.

Raises:
    StateError: If no rows were added.

Example:
    accuracy = ml.metrics.Accuracy()
    accuracy.update({"prediction": np.array([1, 0]), "target": np.array([1, 1])})
    assert accuracy.compute() == 0.5)")
      .def("merge", &Evaluator::merge, py::arg("other"),
           R"(Adds the rows of another evaluator, such as one of another thread.

Raises:
    TypeError: If its class or its options differ.

Example:
    first, second = ml.metrics.Accuracy(), ml.metrics.Accuracy()
    second.update({"prediction": np.array([1, 0]), "target": np.array([1, 1])})
    first.merge(second)
    assert first.compute() == 0.5)")
      .def("reset", &Evaluator::reset, R"(Removes all rows.

Example:
    accuracy = ml.metrics.Accuracy()
    accuracy.update({"prediction": np.array([1, 0]), "target": np.array([1, 1])})
    accuracy.reset())")
      .def(
          "_packed",
          [](const Evaluator& self) {
            const std::optional<std::string> bytes = self.packed();
            return bytes ? std::optional<py::bytes>(*bytes) : std::nullopt;
          },
          "The rows as bytes for another process, or None.")
      .def(
          "_merge_packed",
          [](Evaluator& self, const py::bytes& bytes) {
            self.merge_packed(std::string_view(bytes));
          },
          py::arg("bytes"), "Adds the rows that an evaluator of another process has packed.")
      .def("__repr__", [](const Evaluator& self) { return "<" + std::string(self.name()) + ">"; });
  bind_keyed<metrics::Accuracy>(module, "Accuracy",
                                R"(Computes the fraction of correct predictions.

Targets are ints or bools. Predictions are the same, or floats with one more axis: scores of the
classes.

Args:
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.Accuracy(prediction="logits", target="label")

See docs/data.md.)");
  py::class_<TopKAccuracy, Evaluator>(
      module, "TopKAccuracy",
      R"(Computes the fraction of rows whose target is among the `k` largest scores.

Args:
    k: number of classes, at least 1.
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.TopKAccuracy(5, prediction="logits", target="label")

See docs/data.md.)")
      .def(py::init([](std::int64_t k, py::handle prediction, py::handle target) {
             return TopKAccuracy(k, evaluated_keys(prediction, target));
           }),
           py::arg("k"), py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  py::class_<F1Score, Evaluator>(module, "F1Score",
                                 R"(Computes the F1 score, 2 TP / (2 TP + FP + FN).

Args:
    average: "binary" is the score of class 1, "macro" the mean over the classes, "weighted" the
        mean weighted by the targets of each class, "micro" the score of the summed counts.
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.F1Score("macro", prediction="logits", target="label")

See docs/data.md.)")
      .def(py::init([](const std::string& average, py::handle prediction, py::handle target) {
             return F1Score(average_of(average), evaluated_keys(prediction, target));
           }),
           py::arg("average") = "binary", py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  bind_keyed<AreaUnderCurve>(
      module, "AreaUnderCurve",
      R"(Computes the area under the ROC curve of scores [N] for targets 0 and 1.

Equal scores count half. `compute` raises ValueError if all targets are equal.

Args:
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.AreaUnderCurve(prediction="score", target="label")

See docs/data.md.)");
  bind_keyed<MeanSquaredError>(
      module, "MeanSquaredError",
      R"(Computes the mean squared difference of predictions and targets over all elements.

Args:
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.MeanSquaredError(prediction="y", target="target")

See docs/data.md.)");
  py::class_<Perplexity, Evaluator>(module, "Perplexity",
                                    R"(Computes exp of the mean negative log-likelihood of tokens.

Predictions are logits, with one more axis than the targets.

Args:
    ignored: targets of this value do not count. None counts all.
    prediction: key of the predictions.
    target: key of the targets.

Example:
    evaluator = ml.metrics.Perplexity(ignored=0, prediction="logits", target="label")

See docs/data.md.)")
      .def(py::init([](py::handle ignored, py::handle prediction, py::handle target) {
             return Perplexity(ignored_token(ignored), evaluated_keys(prediction, target));
           }),
           py::arg("ignored") = py::none(), py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  py::class_<ModelScore, Evaluator>(
      module, "ModelScore",
      R"(Computes the mean over all rows of an output of a compiled model.

Each batch supplies the data of the model. The output has a value for each row, or is the mean of
the batch.

Args:
    compiled: the compiled model.
    params: dict of its parameters.
    output: key of the output.
    state: dict of its state.

Raises:
    NameError: If there is no such output.

Example:
    with_loss = compiled.in_inference(outputs=["loss"])
    score = ml.metrics.ModelScore(with_loss, params, "loss")
    score.update(data)
    loss = score.compute()

See docs/data.md.)")
      .def(py::init([](const CompiledModel& compiled, const py::dict& params,
                       const std::string& output, const py::dict& state) {
             return ModelScore(compiled, tensor_map_of(params), State(tensor_map_of(state)),
                               output);
           }),
           py::arg("compiled"), py::arg("params"), py::arg("output"), py::kw_only(),
           py::arg("state") = py::dict());
}

}  // namespace mithril::python
