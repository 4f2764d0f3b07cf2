#include "mithril/models/dropout.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {

Model Dropout(const DropoutOptions& options) {
  return make_model(
      "Dropout",
      {{"p", options.p}, {"seed", options.seed}, {"inference", mode_of(options.inference)}});
}

ModelDef define_dropout();
ModelDef define_dropout() {
  return {
      .name = "Dropout",
      .doc = "Zeroes elements with probability p and divides the others by 1 - p.",
      .ports = {{"input", "[...]"}, {"output", "[...]"}, {"key", "[]", "a state"}},
      .arguments = {{"p", "float", 0.5, "probability that an element is zeroed"},
                    {"seed", "int", 0,
                     "seed of the masks, which also depend on the path of the part"},
                    mode_argument("pass everything")},
      .build =
          [](const CheckedArguments& arguments) {
            const double p = arguments.real("p");
            if (!(p >= 0.0 && p < 1.0)) arguments.reject("p", "at least 0 and below 1");
            Model model = model_of_class("Dropout");
            const Connection input = model["input"], key = model["key"];
            const Datum& mode = arguments["inference"];
            model.set_types({{"key", kind::int_tensor}});
            const Connection kept = apply("random_uniform", {input, key}) >= p;
            const Connection masked = apply("where", {kept, input / (1.0 - p), 0.0});
            const Connection whole = apply("buffer", {input});
            model.expose_keys({{"output", apply("by_mode", {masked, whole, mode})}});
            bind_next_state(model, "key", key + 1, mode, RandomKey{arguments.integer("seed")});
            model.set_cin({"input"}).set_cout({"output"});
            return model;
          },
  };
}

}  // namespace mithril
