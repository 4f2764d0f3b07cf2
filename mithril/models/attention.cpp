#include "mithril/models/attention.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_scaled_dot_product(const CheckedArguments& arguments) {
  const double dropped = arguments.real("dropout_p");
  if (!(dropped >= 0.0 && dropped < 1.0)) arguments.reject("dropout_p", "at least 0 and below 1");
  Model model = model_of_class("ScaledDotProduct");
  Bindings whole{{"query", "query"}, {"key", "key"}, {"value", "value"}};
  if (arguments.flag("use_attn_mask")) whole.emplace_back("attn_mask", "attn_mask");
  const Model attention = Model::op("scaled_dot_product");
  if (dropped == 0) {
    for (const char* port : {"is_causal", "scale", "dropout_p"})
      whole.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
    whole.emplace_back("output", "output");
    model |= attention(whole);
  } else {
    const Datum& mode = arguments["inference"];
    const Model weights = Model::op("attention_weights"), product = Model::op("matmul");
    const Model dropout =
        make_model("Dropout", {{"p", dropped}, {"seed", arguments["seed"]}, {"inference", mode}});
    Bindings of_weights{whole.begin(), whole.end()};
    std::erase_if(of_weights, [](const auto& binding) { return binding.first == "value"; });
    for (const char* port : {"is_causal", "scale"}) {
      of_weights.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
      whole.emplace_back(port, port);
    }
    model |= weights(of_weights);
    model |= dropout({{"input", weights.at("output")}});
    model |= product({{"left", dropout.at("output")}, {"right", "value"}});
    model |= attention(whole);
    model |= Model::op("by_mode")({{"training", product.at("output")},
                                   {"inference", attention.at("output")},
                                   {"is_inference", mode},
                                   {"output", "output"}});
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
                                         {"seed", options.seed},
                                         {"inference", mode_of(options.inference)}});
}

ModelDef define_scaled_dot_product_model();
ModelDef define_scaled_dot_product_model() {
  return {
      .name = "ScaledDotProduct",
      .doc = "Attention: softmax(query @ key.T * scale + attn_mask) @ value.",
      .ports = {{"query", "[..., L, E]"},
                {"key", "[..., S, E]"},
                {"value", "[..., S, F]"},
                {"attn_mask", "[..., L, S]",
                 "bools that are true where a query may attend to a key, or floats that are added"},
                {"output", "[..., L, F]"}},
      .arguments = {{"is_causal", "bool", true, "query i attends to the keys up to i"},
                    {"scale", "float|int|none", Datum(), "None: 1/sqrt(E)"},
                    {"dropout_p", "float", 0.0,
                     "probability that a weight is dropped; if it is not 0, there is a state, "
                     "as in Dropout"},
                    {"use_attn_mask", "bool", false, "whether there is a port attn_mask"},
                    {"seed", "int", 0, "seed of the masks, as in Dropout"},
                    mode_argument("drop nothing")},
      .build = build_scaled_dot_product};
}

}  // namespace mithril
