#include "mithril/models/attention.hpp"

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

Model build_scaled_dot_product(const CheckedArguments& arguments) {
  Model model = model_of_class("ScaledDotProduct");
  Bindings bindings;
  for (const char* port : {"query", "key", "value"}) bindings.emplace_back(port, port);
  if (arguments.flag("use_attn_mask")) bindings.emplace_back("attn_mask", "attn_mask");
  for (const char* port : {"is_causal", "scale", "dropout_p"})
    bindings.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
  bindings.emplace_back("output", "output");
  model |= Model::op("scaled_dot_product")(bindings);
  model.set_cin({"query"}).set_cout({"output"});
  return model;
}

}  // namespace

Model ScaledDotProduct(const ScaledDotProductOptions& options) {
  return make_model("ScaledDotProduct", {{"is_causal", options.is_causal},
                                         {"scale", options.scale ? Datum(*options.scale) : Datum()},
                                         {"dropout_p", options.dropout_p},
                                         {"use_attn_mask", options.use_attn_mask}});
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
                         "only 0: AttentionWeights, Dropout and MatrixMultiply drop weights"},
                        {"use_attn_mask", "bool", false, "whether there is a port attn_mask"}},
          .build = build_scaled_dot_product};
}

}  // namespace mithril
