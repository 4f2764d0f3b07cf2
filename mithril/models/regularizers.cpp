#include "mithril/models/regularizers.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model L1() { return make_model("L1"); }
Model L2() { return make_model("L2"); }
Model QuadraticFormRegularizer() { return make_model("QuadraticFormRegularizer"); }

ModelDef define_l1();
ModelDef define_l1() {
  return {.name = "L1",
          .doc = "sum(|input|).",
          .ports = {{"input", "[...]"}, {"output", "[]"}},
          .objective = true,
          .build = [](const CheckedArguments&) {
            Model model = model_of_class("L1");
            const Connection input = model["input"];
            return finished(model, input.abs().sum());
          }};
}

ModelDef define_l2();
ModelDef define_l2() {
  return {.name = "L2",
          .doc = "sum(input**2) / 2.",
          .ports = {{"input", "[...]"}, {"output", "[]"}},
          .objective = true,
          .build = [](const CheckedArguments&) {
            Model model = model_of_class("L2");
            const Connection input = model["input"];
            return finished(model,
                            narrowed(apply("square", {widened(input)}).sum() * 0.5, {input}));
          }};
}

ModelDef define_quadratic_form_regularizer();
ModelDef define_quadratic_form_regularizer() {
  return {.name = "QuadraticFormRegularizer",
          .doc = "input @ kernel @ input.T / 2.",
          .ports = {{"input", "[1, N]"}, {"kernel", "[N, N]"}, {"output", "[1, 1]"}},
          .objective = true,
          .build = [](const CheckedArguments&) {
            Model model = model_of_class("QuadraticFormRegularizer");
            const Connection input = model["input"], kernel = model["kernel"];
            model.set_shapes({{"input", {1, "N"}}, {"kernel", {"N", "N"}}});
            const Connection x = widened(input);
            const Connection product = matmul(matmul(x, widened(kernel)), x.T());
            return finished(model, narrowed(product * 0.5, {input, kernel}));
          }};
}

}  // namespace mithril
