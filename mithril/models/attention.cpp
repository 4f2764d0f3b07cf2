#include "mithril/models/attention.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_scaled_dot_product(const CheckedArguments& arguments) {
  const double dropped = arguments.real("dropout_p");
  if (!(dropped >= 0.0 && dropped < 1.0)) arguments.reject("dropout_p", "at least 0 and below 1");
  Model model = model_of_class("ScaledDotProduct");
  Bindings bindings{{"query", "query"}, {"key", "key"}};
  if (arguments.flag("use_attn_mask")) bindings.emplace_back("attn_mask", "attn_mask");
  for (const char* port : {"is_causal", "scale"})
    bindings.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
  if (dropped == 0) {
    bindings.emplace_back("value", "value");
    bindings.emplace_back("dropout_p", IOKey{.name = "dropout_p", .value = dropped});
    bindings.emplace_back("output", "output");
    model |= Model::op("scaled_dot_product")(bindings);
  } else {
    const Model weights = Model::op("attention_weights");
    const Model dropout = make_model("Dropout", {{"p", dropped}, {"seed", arguments["seed"]}});
    model |= weights(bindings);
    model |= dropout({{"input", weights.at("output")}});
    model |= Model::op("matmul")(
        {{"left", dropout.at("output")}, {"right", "value"}, {"output", "output"}});
  }
  model.set_cin({"query"}).set_cout({"output"});
  return model;
}

}  // namespace

Model ScaledDotProduct(const ScaledDotProductOptions& options) {
  return make_model("ScaledDotProduct", {{"is_causal", options.is_causal},
                                         {"scale", options.scale ? Datum(*options.scale) : Datum()},
                                         {"dropout_p", options.dropout_p},
                                         {"use_attn_mask", options.use_attn_mask},
                                         {"seed", options.seed}});
}

ModelDef define_scaled_dot_product_model();
ModelDef define_scaled_dot_product_model() {
  return {.name = "ScaledDotProduct",
          .doc =
              "Attention: softmax(query @ key.T * scale + attn_mask) @ value. Ports: query [..., "
              "L, E], key [..., S, E], value [..., S, F], attn_mask (bools that are true where "
              "a query may attend to a key or floats that are added), output [..., L, F].",
          .arguments = {{"is_causal", "bool", true, "query i attends to the keys up to i"},
                        {"scale", "float|int|none", Datum(), "None: 1/sqrt(E)"},
                        {"dropout_p", "float", 0.0,
                         "probability of a weight to be dropped; not 0: with a state, as Dropout"},
                        {"use_attn_mask", "bool", false, "whether there is a port attn_mask"},
                        {"seed", "int", 0, "of the key that the dropped weights come from"}},
          .build = build_scaled_dot_product};
}

}  // namespace mithril
