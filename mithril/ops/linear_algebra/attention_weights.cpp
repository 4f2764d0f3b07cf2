// How much each query attends to each key.
#include <fmt/format.h>

#include "mithril/ops/support/attention.hpp"
#include "mithril/ops/support/samples.hpp"

namespace mithril {
namespace {

void eval_attention_weights(EvalContext& c) {
  const AttentionWeights weights(c);
  const Dims& dims = c.out().dims();
  std::vector<double> row(static_cast<size_t>(weights.columns()));
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    each_broadcast<3>(Dims(dims.begin(), dims.end() - 2),
                      {&weights.query_batch(), &weights.key_batch(), &weights.mask_batch()},
                      [&](int64_t, auto& at) {
                        for (int64_t i = 0; i < weights.rows(); ++i) {
                          weights.write(at[0], at[1], at[2], i, row.data());
                          for (const double weight : row) *y++ = static_cast<T>(weight);
                        }
                      });
  });
}

std::string spell_scale(const SpellingContext& c) {
  if (!c.value("scale").is_none()) return "scale";
  return fmt::format("{:.17f}", default_scale(c.dims("query").back()));
}

// Torch's softmax of a row without a finite score is not a number. Scores of half precision are
// computed in float32, as in torch's attention: they may overflow, and exp multiplies their error.
std::string spell_attention_weights(const SpellingContext& c) {
  const std::string query = spell_call("aten::mul", {spell_wide("query", "query"), spell_scale(c)});
  const std::string keys = spell_call("aten::transpose", {spell_wide("key", "key"), "-2", "-1"});
  std::string scores = spell_call("aten::matmul", {query, keys});
  if (c.value("is_causal").flag()) scores = spell_call("aten::add", {scores, spell_causal_bias(c)});
  const std::string masked = spell_call("aten::add", {scores, spell_mask_bias()});
  return "attn_mask == None ? " + spell_call("aten::softmax", {scores, "-1"}) + " : " +
         spell_call("aten::_safe_softmax", {masked, "-1"});
}

}  // namespace

OpDef define_attention_weights() {
  return {
      .name = "attention_weights",
      .doc =
          "softmax(query @ key.T * scale + attn_mask) along the last axis. These are the weights "
          "of scaled_dot_product, which describes the inputs.",
      .internal = true,
      .inputs = attention_inputs({}),
      .outputs = {{"output", "*o L S", "float"}},
      .shape_constraints = {"*o = broadcast(*q, *k)"},
      .solve = check_attention_mask,
      .eval = eval_attention_weights,
      .grad =
          [](GradContext& g) {
            flow_by_scores(g, call("softmax_grad", {g.out_grad(), g.out(), Datum(-1)}));
          },
      .batch = batch_attention,
      .samples = samples_of_matrices,
      .cast = CastPolicy::lower,
      .spell = {{"jax", "attention_weights({query}, {key}, {attn_mask}, {is_causal}, {scale})"},
                {"onnx", "attention_weights(query, key, attn_mask.raw, is_causal, scale)"},
                {"torch", "the softmax of a product and its masks", spell_attention_weights},
                {"cpu", "attention_weights(query, key, attn_mask, is_causal, scale)"}},
  };
}

}  // namespace mithril
