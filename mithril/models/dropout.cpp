#include "mithril/models/dropout.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model Dropout(const DropoutOptions& options) {
  return make_model("Dropout",
                    {{"p", options.p}, {"seed", options.seed}, {"inference", options.inference}});
}

ModelDef define_dropout();
ModelDef define_dropout() {
  return {
      .name = "Dropout",
      .doc =
          "Zeroes elements with probability p and divides the others by 1 - p. Ports: input, "
          "output; state key.",
      .arguments = {{"p", "float", 0.5, "probability of an element to become zero"},
                    {"seed", "int", 0, "of the key that the masks come from"},
                    {"inference", "bool", false, "pass everything"}},
      .build =
          [](const CheckedArguments& arguments) {
            const double p = arguments.real("p");
            if (!(p >= 0.0 && p < 1.0)) arguments.reject("p", "at least 0 and below 1");
            Model model = model_of_class("Dropout");
            if (arguments.flag("inference")) {
              model |= Model::op("buffer")({{"input", "input"}, {"output", "output"}});
              return model;
            }
            const Connection input = model["input"], key = model["key"];
            model.set_types({{"key", kind::int_tensor}});
            const Connection kept = apply("random_uniform", {input, key}) >= p;
            model.expose_keys({{"output", apply("where", {kept, input / (1.0 - p), 0.0})}});
            model |= Model::op("add")({{"left", key}, {"right", 1}, {"output", "new_key"}});
            model.bind_state_keys("key", "new_key", Tensor::scalar(arguments.integer("seed")));
            model.set_cin({"input"}).set_cout({"output"});
            return model;
          },
  };
}

}  // namespace mithril
