#include "mithril/models/metrics.hpp"

#include <algorithm>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

struct Classes {
  Connection pred, label;
};

// The ports pred and label as classes, which do not broadcast.
Classes classes_of(Model& model, const CheckedArguments& arguments) {
  if (arguments.flag("is_binary") && !arguments.has("threshold"))
    arguments.reject("threshold", "a number, for is_binary");
  Connection pred = model["pred"], label = model["label"];
  model.set_differentiability({{"label", false}});
  const bool both_one_hot = arguments.flag("is_pred_one_hot") && arguments.flag("is_label_one_hot");
  if (both_one_hot) label = apply("same_shape", {label, pred});
  if (arguments.flag("is_label_one_hot")) {
    label = apply("argmax", {label, -1});
  } else {
    model.set_types({{"label", kind::int_tensor}});
  }
  if (arguments.flag("is_pred_one_hot")) {
    pred = apply("argmax", {pred, -1});
  } else if (arguments.flag("is_binary")) {
    pred = (pred > arguments.real("threshold")).cast(DType::int64);
  } else {
    model.set_types({{"pred", kind::int_tensor}});
  }
  if (!both_one_hot) label = apply("same_shape", {label, pred});
  return {pred, label};
}

Model finished(Model model, const std::vector<std::pair<std::string, Connection>>& outputs) {
  model.expose_keys(outputs);
  return model.set_cin({"pred"}).set_cout({"output"});
}

Connection count(const Connection& flags) { return flags.cast(DType::int64).sum(0); }

// The numbers [C] of samples by class.
struct Counts {
  Connection labels, true_positives, false_positives, false_negatives;
};

Counts counted(const Classes& classes, int64_t number) {
  const Connection all = apply("arange", {number});
  const Connection pred = classes.pred.reshape({-1, 1}).eq(all);
  const Connection label = classes.label.reshape({-1, 1}).eq(all);
  return {count(label), count(pred & label), count(pred & ~label), count(~pred & label)};
}

using Score = Connection (*)(const Counts&);

// Counts are exact in float32 where half precision rounds them.
Connection quotient(const Connection& numerator, const Connection& denominator) {
  const Connection whole = widened(denominator);
  return widened(numerator) / apply("where", {whole.eq(0), 1.0, whole});
}
Connection precision(const Counts& n) {
  return quotient(n.true_positives, n.true_positives + n.false_positives);
}
Connection recall(const Counts& n) {
  return quotient(n.true_positives, n.true_positives + n.false_negatives);
}
Connection f1(const Counts& n) {
  return quotient(n.true_positives,
                  n.true_positives + widened(n.false_positives + n.false_negatives) * 0.5);
}

Connection accuracy(const Classes& classes) {
  return apply("mean", {classes.pred.eq(classes.label)});
}

Model averaged(const char* name, const CheckedArguments& arguments, Score score) {
  const std::string& average = arguments.text("average");
  if (arguments.has("n_classes") && arguments.integer("n_classes") < 1)
    arguments.reject("n_classes", "at least 1");
  Model model = model_of_class(name);
  const Classes classes = classes_of(model, arguments);
  if (average == "micro") return finished(model, {{"output", accuracy(classes)}});
  if (!arguments.has("n_classes"))
    arguments.reject("n_classes", "the number of classes, for " + average);
  const Counts counts = counted(classes, arguments.integer("n_classes"));
  const Connection scores = score(counts);
  const Connection weights =
      average == "macro" ? (counts.labels > 0).cast(DType::int64) : counts.labels;
  const Connection mean = (scores * weights).sum() / widened(weights.sum());
  return finished(model, {{"output", narrowed(mean, {counts.labels})}});
}

std::vector<ArgumentDef> format_arguments() {
  return {{"threshold", "float|none", Datum(), "binary scores above it are of class 1"},
          {"is_binary", "bool", false, "whether pred has scores of one class"},
          {"is_pred_one_hot", "bool", true, "whether pred has a score for each class"},
          {"is_label_one_hot", "bool", true, "whether label has a number for each class"}};
}

std::vector<ArgumentDef> averaging_arguments() {
  std::vector<ArgumentDef> all{
      {"average", "str", "micro", "micro, macro or weighted", {"micro", "macro", "weighted"}},
      {"n_classes", "int|none", Datum(), "number of classes; needed unless average is micro"}};
  for (ArgumentDef& argument : format_arguments()) all.push_back(std::move(argument));
  return all;
}

Arguments given(const ClassFormat& options) {
  return {{"threshold", options.threshold ? Datum(*options.threshold) : Datum()},
          {"is_binary", options.is_binary},
          {"is_pred_one_hot", options.is_pred_one_hot},
          {"is_label_one_hot", options.is_label_one_hot}};
}

Arguments given(const AveragedMetricOptions& options) {
  Arguments all{{"average", std::string(name(options.average))},
                {"n_classes", options.n_classes ? Datum(*options.n_classes) : Datum()}};
  for (auto& argument : given(options.format)) all.push_back(std::move(argument));
  return all;
}

}  // namespace

std::string_view name(Average average) {
  constexpr const char* names[] = {"micro", "macro", "weighted"};
  return names[static_cast<size_t>(average)];
}

Model Metric(const ClassFormat& options) { return make_model("Metric", given(options)); }
Model Accuracy(const ClassFormat& options) { return make_model("Accuracy", given(options)); }
Model Precision(const AveragedMetricOptions& options) {
  return make_model("Precision", given(options));
}
Model Recall(const AveragedMetricOptions& options) { return make_model("Recall", given(options)); }
Model F1(const AveragedMetricOptions& options) { return make_model("F1", given(options)); }

ModelDef define_metric();
ModelDef define_metric() {
  return {.name = "Metric",
          .doc = "The classes of pred minus the classes of label.",
          .ports = {{"pred", "[N, C] or [N]"},
                    {"label", "[N, C] or [N]"},
                    {"pred_formatted", "[N]"},
                    {"label_formatted", "[N]"},
                    {"output", "[N]"}},
          .arguments = format_arguments(),
          .objective = true,
          .build = [](const CheckedArguments& arguments) {
            Model model = model_of_class("Metric");
            const auto [pred, label] = classes_of(model, arguments);
            return finished(model, {{"pred_formatted", apply("buffer", {pred})},
                                    {"label_formatted", apply("buffer", {label})},
                                    {"output", pred - label}});
          }};
}

ModelDef define_accuracy();
ModelDef define_accuracy() {
  return {.name = "Accuracy",
          .doc = "The fraction of the samples whose predicted class is their label.",
          .ports = {{"pred", "[N, C] or [N]"}, {"label", "[N, C] or [N]"}, {"output", "[]"}},
          .arguments = format_arguments(),
          .objective = true,
          .build = [](const CheckedArguments& arguments) {
            Model model = model_of_class("Accuracy");
            const Classes classes = classes_of(model, arguments);
            return finished(model, {{"output", accuracy(classes)}});
          }};
}

ModelDef define_precision();
ModelDef define_precision() {
  return {.name = "Precision",
          .doc =
              "The fraction of the samples predicted as a class that belong to it, averaged over "
              "the classes.",
          .ports = {{"pred", "[N, C] or [N]"}, {"label", "[N, C] or [N]"}, {"output", "[]"}},
          .arguments = averaging_arguments(),
          .objective = true,
          .build = [](const CheckedArguments& a) { return averaged("Precision", a, precision); }};
}

ModelDef define_recall();
ModelDef define_recall() {
  return {.name = "Recall",
          .doc =
              "The fraction of the samples of a class that are predicted as that class, averaged "
              "over the classes.",
          .ports = {{"pred", "[N, C] or [N]"}, {"label", "[N, C] or [N]"}, {"output", "[]"}},
          .arguments = averaging_arguments(),
          .objective = true,
          .build = [](const CheckedArguments& a) { return averaged("Recall", a, recall); }};
}

ModelDef define_f1();
ModelDef define_f1() {
  return {.name = "F1",
          .doc = "The harmonic mean of precision and recall, averaged over the classes.",
          .ports = {{"pred", "[N, C] or [N]"}, {"label", "[N, C] or [N]"}, {"output", "[]"}},
          .arguments = averaging_arguments(),
          .objective = true,
          .build = [](const CheckedArguments& a) { return averaged("F1", a, f1); }};
}

}  // namespace mithril
