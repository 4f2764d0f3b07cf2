#include "mithril/models/regression.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// A linear layer with one output, and an op of it as a second output.
Model build_decided(const std::string& name, const char* op, const std::string& decision) {
  Model model = model_of_class(name);
  model |= make_model("Linear", {{"dimension", 1}})(
      {{"input", "input"}, {"weight", "weight"}, {"bias", "bias"}, {"output", "output"}});
  model |= Model::op(op)({{"input", "output"}, {"output", decision}});
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

Model build_polynomial_regression(const CheckedArguments& arguments) {
  Model model = model_of_class("PolynomialRegression");
  const Arguments degree{{"degree", arguments["degree"]}};
  if (arguments.integer("degree") < 1) arguments.reject("degree", "at least 1");
  const Connection input = model["input"];
  model |= Model::op("polynomial_features", degree)({{"input", widened(input)}});
  const Model linear = make_model("Linear", {{"dimension", arguments["dimension"]}});
  model += linear({{"weight", "weight"}, {"bias", "bias"}});
  return finished(model, narrowed(linear.at("output"), {input, model["weight"]}));
}

}  // namespace

Model LinearSVM() { return make_model("LinearSVM"); }
Model LogisticRegression() { return make_model("LogisticRegression"); }
Model PolynomialRegression(const PolynomialRegressionOptions& options) {
  Arguments arguments{{"degree", options.degree}};
  if (options.dimension) arguments.emplace_back("dimension", *options.dimension);
  return make_model("PolynomialRegression", arguments);
}

ModelDef define_linear_svm();
ModelDef define_linear_svm() {
  return {.name = "LinearSVM",
          .doc = "A linear layer with one output, and its sign.",
          .ports = {{"input", "[N, ..., I]"},
                    {"weight", "[1, I]"},
                    {"bias", "[1]"},
                    {"output", "[N, ..., 1]"},
                    {"decision_output", "[N, ..., 1]"}},
          .arguments = {},
          .build = [](const CheckedArguments&) {
            return build_decided("LinearSVM", "sign", "decision_output");
          }};
}

ModelDef define_logistic_regression();
ModelDef define_logistic_regression() {
  return {.name = "LogisticRegression",
          .doc = "A linear layer with one output, and its sigmoid.",
          .ports = {{"input", "[N, ..., I]"},
                    {"weight", "[1, I]"},
                    {"bias", "[1]"},
                    {"output", "[N, ..., 1]"},
                    {"probs_output", "[N, ..., 1]"}},
          .arguments = {},
          .build = [](const CheckedArguments&) {
            return build_decided("LogisticRegression", "sigmoid", "probs_output");
          }};
}

ModelDef define_polynomial_regression();
ModelDef define_polynomial_regression() {
  return {.name = "PolynomialRegression",
          .doc = "A linear layer applied to all products of 1 to `degree` columns.",
          .ports = {{"input", "[N, I]"},
                    {"weight", "[dimension, F]"},
                    {"bias", "[dimension]"},
                    {"output", "[N, dimension]"}},
          .arguments = {{"degree", "int", {}, "highest degree of the products, at least 1"},
                        {"dimension", "int|none", Datum(), "number of outputs; None: inferred"}},
          .build = build_polynomial_regression};
}

}  // namespace mithril
