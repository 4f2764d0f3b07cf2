#include "mithril/models/trigonometry.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

// The other leg of a right triangle with a hypotenuse of 1.
Connection other_leg(const Connection& leg) { return ((1.0 - leg) * (leg + 1.0)).sqrt(); }

// Exact for small elements, too.
Connection hyperbolic_sine(const Connection& input) {
  const Connection x = widened(input);
  return narrowed((apply("expm1", {x}) - apply("expm1", {-x})) * 0.5, {input});
}

// Computes cosh as a sum of products that do not overflow before the sum does.
Connection hyperbolic_cosine(const Connection& input) {
  const Connection root = (widened(input) * 0.5).exp();
  return narrowed(root * 0.5 * root + 0.5 / root / root, {input});
}

ModelDef angle_function(std::string name, std::string doc,
                        Model (*build)(const CheckedArguments&)) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .ports = {{"input", "[...]"}, {"output", "[...]"}},
          .arguments = {},
          .build = build};
}

}  // namespace

Model Tan() { return make_model("Tan"); }
Model Asin() { return make_model("Asin"); }
Model Acos() { return make_model("Acos"); }
Model Sinh() { return make_model("Sinh"); }
Model Cosh() { return make_model("Cosh"); }

ModelDef define_tan();
ModelDef define_tan() {
  return angle_function("Tan", "The tangent of each element, in radians.",
                        [](const CheckedArguments&) {
                          Model model = model_of_class("Tan");
                          const Connection input = model["input"];
                          return finished(model, input.sin() / input.cos());
                        });
}

ModelDef define_asin();
ModelDef define_asin() {
  return angle_function("Asin", "The arcsine of each element, from -pi / 2 to pi / 2.",
                        [](const CheckedArguments&) {
                          Model model = model_of_class("Asin");
                          const Connection input = model["input"];
                          return finished(model, apply("atan2", {input, other_leg(input)}));
                        });
}

ModelDef define_acos();
ModelDef define_acos() {
  return angle_function("Acos", "The arccosine of each element, from 0 to pi.",
                        [](const CheckedArguments&) {
                          Model model = model_of_class("Acos");
                          const Connection input = model["input"];
                          return finished(model, apply("atan2", {other_leg(input), input}));
                        });
}

ModelDef define_sinh();
ModelDef define_sinh() {
  return angle_function("Sinh", "The hyperbolic sine of each element.",
                        [](const CheckedArguments&) {
                          Model model = model_of_class("Sinh");
                          const Connection input = model["input"];
                          return finished(model, hyperbolic_sine(input));
                        });
}

ModelDef define_cosh();
ModelDef define_cosh() {
  return angle_function("Cosh", "The hyperbolic cosine of each element.",
                        [](const CheckedArguments&) {
                          Model model = model_of_class("Cosh");
                          const Connection input = model["input"];
                          return finished(model, hyperbolic_cosine(input));
                        });
}

}  // namespace mithril
