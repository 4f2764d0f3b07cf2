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

// log(2 pi) / 2 for each label; the sum of the logarithms of L's diagonal is half of that of the
// determinant.
Model build_gpr_loss(const CheckedArguments& arguments) {
  Model model = model_of_class("GPRLoss");
  const Connection labels = model["labels"], mean = model["mu"], root = model["L"],
                   kernel = model["K_term"], alpha = model["alpha"];
  const Connection misfit = apply("matmul", {(labels - mean).T(), alpha}).sum() * 0.5;
  const Connection roots = apply("eigvalsh", {kernel, root});
  const Connection volume = apply("log", {roots, arguments.flag("robust")}).sum();
  const double each = std::log(2 * std::numbers::pi) / 2;
  const Connection constant = apply("fill_like", {mean, each}).sum();
  model.expose_keys({{"output", misfit + volume + constant}});
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
  const Connection alpha = apply("gpr_alpha", {label - mean, root, noisy});
  const Bindings known{
      {"labels", label}, {"mu", mean}, {"L", root}, {"K_term", noisy}, {"alpha", alpha}};
  const Connection loss = make_model("GPRLoss").apply(known).front();
  const Connection explained = apply("gpr_v_outer", {kernel, noisy, root});
  const Connection left = apply("transposed_diagonal", {prior - explained}).abs();
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

Model GPRLoss(const GPRLossOptions& options) {
  return make_model("GPRLoss", {{"robust", options.robust}});
}
Model GaussProcessRegressionCore() { return make_model("GaussProcessRegressionCore"); }

ModelDef define_gpr_loss();
ModelDef define_gpr_loss() {
  return {
      .name = "GPRLoss",
      .doc =
          "The negative logarithm of the likelihood of labels. Ports: labels [N, 1], mu [N, 1], "
          "L [N, N], the Cholesky factor of K_term [N, N], alpha [N, 1], output.",
      .arguments = {{"robust", "bool", false, "the logarithm is the robust one"}},
      .build = build_gpr_loss};
}

ModelDef define_gauss_process_regression_core();
ModelDef define_gauss_process_regression_core() {
  return {.name = "GaussProcessRegressionCore",
          .doc =
              "Regression by a Gaussian process of kernel matrix k and mean mu with noise of "
              "variance s. Ports: label [N, 1], mu [N, 1], s [1], k [N, N], k_star [N, N], the "
              "kernel of the points asked for, loss, prediction [N, 1], confidence [N, 1].",
          .arguments = {},
          .build = build_gauss_process_regression_core};
}

}  // namespace mithril
