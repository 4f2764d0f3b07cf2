#include "mithril/models/transformer.hpp"

#include <limits>

#include "mithril/models/builder.hpp"
#include "mithril/op/part.hpp"

namespace mithril {
namespace {

Model build_masked_softmax(const CheckedArguments& arguments) {
  Model model = model_of_class("MaskedSoftmax");
  const Connection input = model["input"], mask = model["mask"];
  model.set_types({{"mask", kind::bool_tensor}});
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const Connection kept = apply("where", {mask, input, nothing});
  const Connection shares = apply("softmax", {kept, arguments.integer("axis")});
  model.expose_keys({{"output", apply("where", {mask, shares, 0.0})}});
  return model.set_cin({"input"}).set_cout({"output"});
}

void check_size(const CheckedArguments& arguments, const char* name) {
  if (arguments.has(name) && arguments.integer(name) < 1) arguments.reject(name, "at least 1");
}

void check_heads(const CheckedArguments& arguments) {
  const int64_t heads = arguments.integer("num_heads");
  if (heads < 1) arguments.reject("num_heads", "at least 1");
  check_size(arguments, "dimension");
  if (arguments.has("dimension") && arguments.integer("dimension") % heads != 0)
    arguments.reject("num_heads", "a divisor of the dimension");
}

Model build_multi_head_attention(const CheckedArguments& arguments) {
  check_heads(arguments);
  Model model = model_of_class("MultiHeadAttention");
  const DimSpec dimension = arguments.size("dimension", DimSpec(std::string("D")));
  const int64_t heads = arguments.integer("num_heads");
  const bool biased = arguments.flag("use_bias");
  const auto projected = [&](const Connection& x, const std::string& name) {
    const std::string weight = "w_" + name, bias = "bias_" + name;
    Binding shift = none;
    static_cast<void>(model[weight]);
    model.set_shapes({{weight, ShapeSpec(std::vector<DimSpec>{dimension, dimension})}});
    model.set_initializer(weight, {.distribution = Initializer::Distribution::uniform_fan_in});
    if (biased) {
      shift = model[bias];
      model.set_initializer(bias, {.distribution = Initializer::Distribution::zeros});
    }
    return apply("linear", {x, model.at(weight), shift});
  };
  const auto by_head = [&](const Connection& x) {
    const Connection shape = x.shape();
    return x.reshape({shape[0], shape[1], heads, -1}).transpose({0, 2, 1, 3});
  };
  for (const char* key : {"query", "key", "value"}) {
    static_cast<void>(model[key]);
    model.set_shapes({{key, {"N", any, any}}});
  }
  const Connection query = model["query"];
  Bindings bindings{{"query", by_head(projected(query, "query"))},
                    {"key", by_head(projected(model["key"], "key"))},
                    {"value", by_head(projected(model["value"], "value"))}};
  if (arguments.flag("use_mask")) {
    bindings.emplace_back("attn_mask", model["mask"]);
    model.set_types({{"mask", kind::bool_tensor}});
  }
  const Model attention =
      Model::op("scaled_dot_product", {{"is_causal", arguments.flag("is_causal")}});
  model |= attention(bindings);
  const Connection together = attention.at("output").transpose({0, 2, 1, 3}).reshape(query.shape());
  model.expose_keys({{"output", projected(together, "output")}});
  return model.set_cin({"query", "key", "value"}).set_cout({"output"});
}

Model named(Model part, const char* name) {
  part.part()->give_name(name);
  return part;
}

// A norm before or after each half of the block, and the residual connections.
Model build_transformer_block(const CheckedArguments& arguments) {
  check_heads(arguments);
  check_size(arguments, "hidden_dimension");
  const int64_t dimension = arguments.integer("dimension");
  const Datum hidden =
      arguments.has("hidden_dimension") ? arguments["hidden_dimension"] : Datum(4 * dimension);
  const bool first = arguments.flag("norm_first");
  Model model = model_of_class("TransformerBlock");
  const Connection input = model["input"];
  model.set_shapes({{"input", {"N", "L", dimension}}});
  const auto norm = [&](const Connection& x, const char* name) {
    return named(make_model("LayerNorm", {{"eps", arguments["eps"]}}), name)(x);
  };
  const auto linear = [](const Connection& x, const Datum& size, const char* name) {
    return named(make_model("Linear", {{"dimension", size}}), name)(x);
  };
  const auto attend = [&](const Connection& x) {
    const Model attention =
        make_model("MultiHeadAttention", {{"num_heads", arguments["num_heads"]},
                                          {"dimension", dimension},
                                          {"is_causal", arguments["is_causal"]}});
    return named(attention, "attention")(x, x, x);
  };
  const auto perceive = [&](const Connection& x) {
    const Connection wide = arguments.part("activation")(linear(x, hidden, "fc_1"));
    return linear(wide, dimension, "fc_2");
  };
  const auto around = [&](const Connection& x, const auto& part, const char* name) {
    return first ? x + part(norm(x, name)) : norm(x + part(x), name);
  };
  const Connection output = around(around(input, attend, "norm_1"), perceive, "norm_2");
  model.expose_keys({{"output", output}});
  return model.set_cin({"input"}).set_cout({"output"});
}

Datum datum_of(const std::optional<int64_t>& number) { return number ? Datum(*number) : Datum(); }

}  // namespace

Model MaskedSoftmax(const MaskedSoftmaxOptions& options) {
  return make_model("MaskedSoftmax", {{"axis", options.axis}});
}

Model MultiHeadAttention(const MultiHeadAttentionOptions& options) {
  return make_model("MultiHeadAttention", {{"num_heads", options.num_heads},
                                           {"dimension", datum_of(options.dimension)},
                                           {"use_bias", options.use_bias},
                                           {"is_causal", options.is_causal},
                                           {"use_mask", options.use_mask}});
}

Model TransformerBlock(const TransformerBlockOptions& options) {
  return make_model("TransformerBlock", {{"num_heads", options.num_heads},
                                         {"dimension", options.dimension},
                                         {"hidden_dimension", datum_of(options.hidden_dimension)},
                                         {"activation", options.activation.datum()},
                                         {"is_causal", options.is_causal},
                                         {"norm_first", options.norm_first},
                                         {"eps", options.eps}});
}

ModelDef define_masked_softmax();
ModelDef define_masked_softmax() {
  return {.name = "MaskedSoftmax",
          .doc = "Softmax over the elements where the mask is true. The other elements are 0.",
          .ports = {{"input", "[...]"},
                    {"mask", "[...]", "bools that are true for elements to keep"},
                    {"output", "[...]"}},
          .arguments = {{"axis", "int", -1, "axis along which the outputs sum to 1"}},
          .build = build_masked_softmax};
}

ModelDef define_multi_head_attention();
ModelDef define_multi_head_attention() {
  return {.name = "MultiHeadAttention",
          .doc = "Multi-head scaled dot product attention (https://arxiv.org/abs/1706.03762).",
          .ports = {{"query", "[N, L, D]"},
                    {"key", "[N, S, D]"},
                    {"value", "[N, S, D]"},
                    {"mask", "[..., L, S]", "bool, with use_mask"},
                    {"w_query", "[D, D]"},
                    {"w_key", "[D, D]"},
                    {"w_value", "[D, D]"},
                    {"w_output", "[D, D]"},
                    {"bias_query", "[D]"},
                    {"bias_key", "[D]"},
                    {"bias_value", "[D]"},
                    {"bias_output", "[D]"},
                    {"output", "[N, L, D]"}},
          .arguments = {{"num_heads", "int", {}, "divides the dimension"},
                        {"dimension", "int|none", Datum(), "size of the last axis; None: inferred"},
                        {"use_bias", "bool", true, "whether there are biases"},
                        {"is_causal", "bool", false,
                         "whether each position attends only to itself and earlier ones"},
                        {"use_mask", "bool", false, "whether there is a port mask (bool)"}},
          .build = build_multi_head_attention};
}

ModelDef define_transformer_block();
ModelDef define_transformer_block() {
  return {
      .name = "TransformerBlock",
      .doc = "x + attention(norm(x)), then x + perceptron(norm(x)).",
      .ports = {{"input", "[N, L, D]", "and the parameters by their paths"},
                {"output", "[N, L, D]"}},
      .arguments = {{"num_heads", "int", {}, "divides the dimension"},
                    {"dimension", "int", {}, "size of the last axis of input and output"},
                    {"hidden_dimension", "int|none", Datum(), "None: 4 times the dimension"},
                    {"activation", "model", "Gelu", "activation of the perceptron"},
                    {"is_causal", "bool", false,
                     "whether each position attends only to itself and earlier ones"},
                    {"norm_first", "bool", true,
                     "whether the norms come before attention and perceptron, not after each sum"},
                    {"eps", "float", 1e-5, "added to the variance in the norms"}},
      .build = build_transformer_block};
}

}  // namespace mithril
