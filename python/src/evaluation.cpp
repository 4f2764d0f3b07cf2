// Evaluators, which measure models over the batches of a data set.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/evaluation/classification.hpp"
#include "mithril/evaluation/perplexity.hpp"
#include "mithril/evaluation/ranking.hpp"
#include "mithril/evaluation/regression.hpp"
#include "mithril/training/model_score.hpp"

namespace mithril::python {
namespace {

using evaluation::AreaUnderCurve;
using evaluation::EvaluatedKeys;
using evaluation::Evaluator;
using evaluation::F1Score;
using evaluation::MeanSquaredError;
using evaluation::ModelScore;
using evaluation::Perplexity;
using evaluation::TopKAccuracy;

constexpr const char* default_prediction = "prediction";
constexpr const char* default_target = "target";

EvaluatedKeys evaluated_keys(py::handle prediction, py::handle target) {
  return {text_of(prediction, "the key of predictions"), text_of(target, "the key of targets")};
}

F1Score::Average average_of(const std::string& average) {
  const std::vector<std::string> known = {"binary", "macro", "weighted", "micro"};
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i] == average) return static_cast<F1Score::Average>(i);
  unknown_name(ErrorKind::name, "E0605", "average of F1Score", average, "", known);
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
  call_with_inputs({batch}, [&] { evaluator.update(tensors); });
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

void bind_evaluation(py::module_& module) {
  py::class_<Evaluator>(module, "Evaluator",
                        "A measure of a model over the batches of a data set. The result does not "
                        "depend on how the rows are divided into batches.")
      .def("update", update_evaluator, py::arg("batch"),
           "Adds the rows of a batch, a dict with predictions and targets.")
      .def("compute", &Evaluator::compute, py::call_guard<InterpreterUnlocked>(),
           "The result over all rows; StateError before the first row.")
      .def("merge", &Evaluator::merge, py::arg("other"),
           "Adds the rows of another evaluator of the same class with the same options.")
      .def("reset", &Evaluator::reset, "Forgets all rows.")
      .def("__repr__", [](const Evaluator& self) { return "<" + std::string(self.name()) + ">"; });
  bind_keyed<evaluation::Accuracy>(
      module, "Accuracy",
      "The share of right predictions. Targets are ints or bools; predictions are the same, or "
      "floats with one more dim: scores of the classes.");
  py::class_<TopKAccuracy, Evaluator>(
      module, "TopKAccuracy",
      "The share of rows whose target is among the k classes with the largest scores.")
      .def(py::init([](std::int64_t k, py::handle prediction, py::handle target) {
             return TopKAccuracy(k, evaluated_keys(prediction, target));
           }),
           py::arg("k"), py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  py::class_<F1Score, Evaluator>(module, "F1Score",
                                 "The harmonic mean of precision and recall: \"binary\" of class "
                                 "1, \"macro\" the mean over the "
                                 "classes, \"weighted\" by their targets, \"micro\" of the sums.")
      .def(py::init([](const std::string& average, py::handle prediction, py::handle target) {
             return F1Score(average_of(average), evaluated_keys(prediction, target));
           }),
           py::arg("average") = "binary", py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  bind_keyed<AreaUnderCurve>(
      module, "AreaUnderCurve",
      "The area under the ROC curve of scores [N] for targets 0 and 1. Equal scores count half.");
  bind_keyed<MeanSquaredError>(
      module, "MeanSquaredError",
      "The mean over all elements of the squared difference of predictions and targets.");
  py::class_<Perplexity, Evaluator>(
      module, "Perplexity",
      "exp of the mean negative log-likelihood of tokens, whose predictions are logits. Targets "
      "that equal `ignored` do not count.")
      .def(py::init([](py::handle ignored, py::handle prediction, py::handle target) {
             return Perplexity(ignored_token(ignored), evaluated_keys(prediction, target));
           }),
           py::arg("ignored") = py::none(), py::arg("prediction") = default_prediction,
           py::arg("target") = default_target);
  py::class_<ModelScore, Evaluator>(
      module, "ModelScore",
      "The mean over all rows of an output of a compiled model: a value for each row, or the mean "
      "of a batch. The model gets the data of each batch by key.")
      .def(py::init([](const CompiledModel& compiled, const py::dict& params,
                       const std::string& output, const py::dict& state) {
             return ModelScore(compiled, tensor_map_of(params), State(tensor_map_of(state)),
                               output);
           }),
           py::arg("compiled"), py::arg("params"), py::arg("output"), py::kw_only(),
           py::arg("state") = py::dict());
}

}  // namespace mithril::python
