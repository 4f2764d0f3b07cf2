#include "mithril/models/kernels.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

ShapeSpec shape(std::vector<DimSpec> dims) { return ShapeSpec(std::move(dims)); }

void state_kernel_shapes(Model& model) {
  const DimSpec rows = std::string("N"), others = std::string("M"), columns = std::string("D");
  model.set_shapes({{"input1", shape({rows, columns})},
                    {"input2", shape({others, columns})},
                    {"output", shape({rows, others})}});
  model.set_cin({"input1", "input2"}).set_cout({"output"});
}

Model build_rbf_kernel(const CheckedArguments&) {
  Model model = model_of_class("RBFKernel");
  const Connection a = model["input1"], b = model["input2"], scale = model["l_scale"],
                   sigma = model["sigma"];
  const Connection apart =
      only_output("CartesianDifference", {{"left", widened(a)}, {"right", widened(b)}});
  const Connection squares = apply("square", {apart}).sum(2);
  const Connection near = (squares * -0.5 / apply("square", {widened(sigma)})).exp();
  const Connection output = apply("square", {widened(scale)}) * near;
  model.expose_keys({{"output", narrowed(output, {a, b, scale, sigma})}});
  model.set_shapes({{"l_scale", shape({1})}, {"sigma", shape({1})}});
  state_kernel_shapes(model);
  return model;
}

Model build_polynomial_kernel(const CheckedArguments& arguments) {
  Model model = model_of_class("PolynomialKernel");
  const Connection a = model["input1"], b = model["input2"], constant = model["poly_coef"],
                   degree = model["degree"];
  const Connection products = apply("matmul", {widened(a), widened(b).T()});
  const bool robust = arguments.flag("robust");
  const Connection powers = apply("power", {products + constant, degree, robust});
  model.expose_keys({{"output", narrowed(powers, {a, b, constant, degree})}});
  state_kernel_shapes(model);
  return model;
}

Model build_kernelized_svm(const CheckedArguments& arguments) {
  Model model = model_of_class("KernelizedSVM");
  const Model kernel = arguments.part("kernel");
  if (kernel.input_keys().size() < 2 || kernel.output_keys().size() != 1)
    arguments.reject("kernel", "a kernel: a model of two or more inputs and one output");
  Bindings bindings{{kernel.output_keys().front(), "kernel"}};
  for (const std::string& key : kernel.input_keys()) bindings.emplace_back(key, key);
  model |= kernel(bindings);
  model |= make_model("Linear", {{"dimension", 1}})(
      {{"input", "kernel"}, {"weight", "weight"}, {"bias", "bias"}, {"output", "output"}});
  model.set_cin({"input1"}).set_cout({"output"});
  return model;
}

}  // namespace

Model RBFKernel() { return make_model("RBFKernel"); }
Model PolynomialKernel(const PolynomialKernelOptions& options) {
  return make_model("PolynomialKernel", {{"robust", options.robust}});
}
Model KernelizedSVM(const KernelizedSVMOptions& options) {
  return make_model("KernelizedSVM", {{"kernel", options.kernel.datum()}});
}

ModelDef define_rbf_kernel();
ModelDef define_rbf_kernel() {
  return {.name = "RBFKernel",
          .doc = "l_scale² exp(-|x - y|² / (2 sigma²)) for all pairs of rows.",
          .ports = {{"input1", "[N, D]"},
                    {"input2", "[M, D]"},
                    {"l_scale", "[1]"},
                    {"sigma", "[1]"},
                    {"output", "[N, M]"}},
          .arguments = {},
          .build = build_rbf_kernel};
}

ModelDef define_polynomial_kernel();
ModelDef define_polynomial_kernel() {
  return {.name = "PolynomialKernel",
          .doc = "(x . y + poly_coef) ** degree for all pairs of rows.",
          .ports = {{"input1", "[N, D]"},
                    {"input2", "[M, D]"},
                    {"poly_coef", "[]"},
                    {"degree", "[]"},
                    {"output", "[N, M]"}},
          .arguments = {{"robust", "bool", true, "whether the power is computed with robust=True"}},
          .build = build_polynomial_kernel};
}

ModelDef define_kernelized_svm();
ModelDef define_kernelized_svm() {
  return {.name = "KernelizedSVM",
          .doc = "A linear layer with one output, applied to a kernel matrix.",
          .ports = {{"input1", "[N, D]"},
                    {"input2", "[M, D]", "and the other ports of the kernel"},
                    {"weight", "[1, M]"},
                    {"bias", "[1]"},
                    {"kernel", "[N, M]"},
                    {"output", "[N, 1]"}},
          .arguments = {{"kernel", "model", {}, "RBFKernel, PolynomialKernel"}},
          .build = build_kernelized_svm};
}

}  // namespace mithril
