#include "mithril/models/gaussian_process.hpp"

#include <cmath>
#include <numbers>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

ShapeSpec shape(const DimSpec& rows, const DimSpec& columns) {
  return ShapeSpec(std::vector<DimSpec>{rows, columns});
}
ShapeSpec column() { return shape(std::string("N"), 1); }
ShapeSpec square() { return shape(std::string("N"), std::string("N")); }

Connection solved(const Connection& triangular, const Connection& right, bool upper) {
  return apply("solve_triangular", {triangular, right, upper});
}

// A port exists if a part reads it: this copy, which no output needs and every compile removes.
void read_unused(Model& model, const std::string& key) { apply("buffer", {model[key]}); }

Model build_gpr_alpha(const CheckedArguments&) {
  Model model = model_of_class("GPRAlpha");
  const Connection misfit = model["label_mu_diff"], root = model["L"];
  read_unused(model, "K_term");
  model.expose_keys({{"output", solved(root.T(), solved(root, misfit, false), true)}});
  model.set_shapes({{"label_mu_diff", column()}, {"L", square()}, {"K_term", square()}});
  model.set_types({{"label_mu_diff", kind::float_tensor},
                   {"L", kind::float_tensor},
                   {"K_term", kind::float_tensor}});
  return model.set_cin({"label_mu_diff"}).set_cout({"output"});
}

Model build_gpr_v_outer(const CheckedArguments&) {
  Model model = model_of_class("GPRVOuter");
  const Connection kernel = model["K"], root = model["L"];
  const Connection half = solved(root, kernel, false);
  read_unused(model, "K_term");
  model.expose_keys({{"output", apply("matmul", {half.T(), half})}});
  model.set_shapes(
      {{"K", shape(std::string("N"), std::string("M"))}, {"K_term", square()}, {"L", square()}});
  model.set_types(
      {{"K", kind::float_tensor}, {"K_term", kind::float_tensor}, {"L", kind::float_tensor}});
  return model.set_cin({"K"}).set_cout({"output"});
}

// log(2 pi) / 2 for each label; the sum of the logarithms of L's diagonal is half the logarithm of
// the determinant.
Model build_gpr_loss(const CheckedArguments& arguments) {
  Model model = model_of_class("GPRLoss");
  const Connection given = model["labels"], labels = widened(given), mean = widened(model["mu"]),
                   root = widened(model["L"]), kernel = widened(model["K_term"]),
                   alpha = widened(model["alpha"]);
  const Connection misfit = apply("matmul", {(labels - mean).T(), alpha}).sum() * 0.5;
  const Connection roots = apply("eigvalsh", {kernel, root});
  const Connection volume = apply("log", {roots, arguments.flag("robust")}).sum();
  const double each = std::log(2 * std::numbers::pi) / 2;
  const Connection constant = apply("fill_like", {mean, each}).sum();
  model.expose_keys({{"output", narrowed(misfit + volume + constant, {given})}});
  model.set_shapes(
      {{"labels", column()}, {"mu", column()}, {"K_term", square()}, {"alpha", column()}});
  model.set_cin({"labels"}).set_cout({"output"});
  return model;
}

Model build_gauss_process_regression_core(const CheckedArguments&) {
  Model model = model_of_class("GaussProcessRegressionCore");
  const Connection label = model["label"], noise = model["s"], kernel = model["k"],
                   prior = model["k_star"], mean = model["mu"];
  const Connection noisy = kernel + noise * apply("eye", {kernel.size(0)});
  const Connection root = apply("cholesky", {noisy});
  const Connection alpha =
      only_output("GPRAlpha", {{"label_mu_diff", label - mean}, {"L", root}, {"K_term", noisy}});
  const Bindings known{
      {"labels", label}, {"mu", mean}, {"L", root}, {"K_term", noisy}, {"alpha", alpha}};
  const Connection loss = only_output("GPRLoss", known);
  const Connection explained =
      only_output("GPRVOuter", {{"K", kernel}, {"K_term", noisy}, {"L", root}});
  const Connection left = only_output("TransposedDiagonal", {{"input", prior - explained}}).abs();
  model.expose_keys({{"loss", loss},
                     {"prediction", mean + apply("matmul", {kernel.T(), alpha})},
                     {"confidence", noise + left}});
  model.set_shapes({{"label", column()},
                    {"mu", column()},
                    {"s", ShapeSpec(std::vector<DimSpec>{DimSpec(1)})},
                    {"k", square()},
                    {"k_star", square()}});
  model.set_cin({"k"}).set_cout({"prediction"});
  return model;
}

}  // namespace

Model GPRAlpha() { return make_model("GPRAlpha"); }
Model GPRVOuter() { return make_model("GPRVOuter"); }
Model GPRLoss(const GPRLossOptions& options) {
  return make_model("GPRLoss", {{"robust", options.robust}});
}
Model GaussProcessRegressionCore() { return make_model("GaussProcessRegressionCore"); }

ModelDef define_gpr_alpha();
ModelDef define_gpr_alpha() {
  return {.name = "GPRAlpha",
          .doc = "(L Lᵀ)⁻¹ label_mu_diff, the weights of the labels of a Gaussian process.",
          .ports = {{"label_mu_diff", "[N, 1]"},
                    {"L", "[N, N]", "the Cholesky factor of K_term"},
                    {"K_term", "[N, N]", "not read"},
                    {"output", "[N, 1]"}},
          .arguments = {},
          .build = build_gpr_alpha};
}

ModelDef define_gpr_v_outer();
ModelDef define_gpr_v_outer() {
  return {.name = "GPRVOuter",
          .doc = "Kᵀ (L Lᵀ)⁻¹ K, the variance that a Gaussian process explains.",
          .ports = {{"K", "[N, M]"},
                    {"K_term", "[N, N]", "not read"},
                    {"L", "[N, N]", "the Cholesky factor of K_term"},
                    {"output", "[M, M]"}},
          .arguments = {},
          .build = build_gpr_v_outer};
}

ModelDef define_gpr_loss();
ModelDef define_gpr_loss() {
  return {.name = "GPRLoss",
          .doc = "The negative log-likelihood of the labels.",
          .ports = {{"labels", "[N, 1]"},
                    {"mu", "[N, 1]"},
                    {"L", "[N, N]", "the Cholesky factor of K_term"},
                    {"K_term", "[N, N]", "not read"},
                    {"alpha", "[N, 1]"},
                    {"output", "[]"}},
          .arguments = {{"robust", "bool", false,
                         "whether the logarithm is computed with robust=True"}},
          .objective = true,
          .build = build_gpr_loss};
}

ModelDef define_gauss_process_regression_core();
ModelDef define_gauss_process_regression_core() {
  return {.name = "GaussProcessRegressionCore",
          .doc = "Gaussian process regression with kernel matrix k, mean mu and noise variance s.",
          .ports = {{"label", "[N, 1]"},
                    {"mu", "[N, 1]"},
                    {"s", "[1]"},
                    {"k", "[N, N]"},
                    {"k_star", "[N, N]", "the kernel of the queried points"},
                    {"loss", "[]"},
                    {"prediction", "[N, 1]"},
                    {"confidence", "[N, 1]"}},
          .arguments = {},
          .build = build_gauss_process_regression_core};
}

}  // namespace mithril
