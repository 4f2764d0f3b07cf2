#include "mithril/models/elementwise.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/repetitions.hpp"

namespace mithril {
namespace {

Model build_split(const CheckedArguments& arguments) {
  Model model = model_of_class("Split");
  const int64_t count = repetitions(arguments, "split_size"), axis = arguments.integer("axis");
  const Connection input = model["input"], parts = model["split_size"], along = model["axis"];
  model.set_values({{"split_size", Datum(count)}, {"axis", Datum(axis)}});
  const Connection size = floor_divide(input.shape()[axis], parts);
  std::vector<Binding> names;
  std::vector<std::string> keys;
  for (int64_t i = 0; i < count; ++i) keys.push_back("output_" + std::to_string(i));
  for (const std::string& key : keys) names.emplace_back(key);
  model |= Model::op("split")({{"input", "input"},
                               {"sizes", std::vector<Binding>(keys.size(), size)},
                               {"axis", along},
                               {"output", names}});
  model.expose_keys(keys);
  return model.set_cin({"input"}).set_cout(keys);
}

}  // namespace

Model SiLU() { return make_model("SiLU"); }
Model ElementWiseAffine() { return make_model("ElementWiseAffine"); }
Model Split(const SplitOptions& options) {
  return make_model("Split", {{"split_size", options.split_size}, {"axis", options.axis}});
}

ModelDef define_silu();
ModelDef define_silu() {
  return {.name = "SiLU",
          .doc = "input * sigmoid(input).",
          .ports = {{"input", "[...]"}, {"output", "[...]"}},
          .arguments = {},
          .build = [](const CheckedArguments&) {
            Model model = model_of_class("SiLU");
            const Connection input = model["input"];
            return finished(model, input * apply("sigmoid", {input}));
          }};
}

ModelDef define_element_wise_affine();
ModelDef define_element_wise_affine() {
  return {
      .name = "ElementWiseAffine",
      .doc = "input * weight + bias, broadcast.",
      .ports = {{"input", "[...]"}, {"weight", "[...]"}, {"bias", "[...]"}, {"output", "[...]"}},
      .arguments = {},
      .build = [](const CheckedArguments&) {
        Model model = model_of_class("ElementWiseAffine");
        const Connection input = model["input"], weight = model["weight"], bias = model["bias"];
        return finished(model, input * weight + bias);
      }};
}

ModelDef define_split_model();
ModelDef define_split_model() {
  return {
      .name = "Split",
      .doc =
          "Splits the input into `split_size` equal parts along an axis. `output`, bound to a name "
          "or a list, is all of them.",
      .ports = {{"input", "[...]"},
                {"split_size"},
                {"axis"},
                {"output_0", "[...]"},
                {"output_1", "[...]", "and so on"}},
      .arguments = {{"split_size", "int", {}, "number of parts; it divides the size of the axis"},
                    {"axis", "int", {}, "may be negative"}},
      .build = build_split};
}

}  // namespace mithril
