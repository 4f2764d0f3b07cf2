// Attention: values weighed by how well their keys fit the queries.
#include "mithril/ops/support/attention.hpp"
#include "mithril/ops/support/op_work.hpp"
#include "mithril/ops/support/samples.hpp"

namespace mithril {
namespace {

bool solve_scaled_dot_product(Solver& s) {
  const bool fits = check_attention_mask(s);
  const Datum* dropout = s.value("dropout_p");
  if (!dropout) return false;
  if (dropout->real() != 0) {
    s.reject("port 'dropout_p' asks for weights dropped at random",
             "0; the model ScaledDotProduct drops them, with a key", to_string(*dropout));
  }
  return fits;
}

void eval_scaled_dot_product(EvalContext& c) {
  const AttentionWeights weights(c);
  const Elements<double> values = c.read<double>("value");
  const Dims &dims = c.out().dims(), &value = c.dims("value");
  const Dims value_batch(value.begin(), value.end() - 2);
  const int64_t width = value.back();
  std::vector<double> row(static_cast<size_t>(weights.columns()));
  std::vector<double> total(static_cast<size_t>(width));
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    const auto attend = [&](int64_t, auto& at) {
      for (int64_t i = 0; i < weights.rows(); ++i) {
        weights.write(at[0], at[1], at[2], i, row.data());
        std::fill(total.begin(), total.end(), 0.0);
        for (int64_t j = 0; j < weights.columns(); ++j) {
          const double* from = values.begin() + (at[3] * weights.columns() + j) * width;
          for (int64_t f = 0; f < width; ++f)
            total[static_cast<size_t>(f)] += row[static_cast<size_t>(j)] * from[f];
        }
        for (const double element : total) *y++ = static_cast<T>(element);
      }
    };
    each_broadcast<4>(
        Dims(dims.begin(), dims.end() - 2),
        {&weights.query_batch(), &weights.key_batch(), &weights.mask_batch(), &value_batch},
        attend);
  });
}

// Recomputes the weights: keeping them would take memory for each pair of positions.
void differentiate_scaled_dot_product(GradContext& g) {
  const Expression grad = g.out_grad();
  const Expression weights = call(
      "attention_weights",
      {g.in("query"), g.in("key"), g.operand("attn_mask"), g.value("is_causal"), g.value("scale")});
  if (g.needs("value")) flow_summed(g, "value", call("matmul", {transposed_matrix(weights), grad}));
  if (!g.needs("query") && !g.needs("key") && !g.needs("attn_mask")) return;
  const Expression by_weights = call("matmul", {grad, transposed_matrix(g.in("value"))});
  flow_by_scores(g,
                 call("softmax_grad", {by_weights, expand_like(weights, by_weights), Datum(-1)}));
}

std::string spell_times(size_t times, const char* op, std::string of) {
  for (; times > 0; --times) of = spell_call(op, {of, "0"});
  return of;
}

// Torch's fast kernels need four axes, masks of two or four axes, and a scale. Torch accepts a mask
// or is_causal, not both.
std::string spell_scaled_dot_product(const SpellingContext& c) {
  const size_t rank = c.dims("query").size(), mask_rank = c.dims("attn_mask").size();
  if (element_count(c.out()) == 0) return "aten::zeros(output.shape)";
  const bool alike = c.dims("key").size() == rank && c.dims("value").size() == rank;
  const size_t missing = alike && rank < 4 ? 4 - rank : 0;
  const auto widened = [&](const char* port) {
    return spell_times(missing, "aten::unsqueeze", port);
  };
  const auto attention = [&](const std::string& mask, const char* causal) {
    const std::string made = spell_call(
        "aten::scaled_dot_product_attention",
        {widened("query"), widened("key"), widened("value"), mask, "0.0", causal, "scale=scale"});
    return spell_times(missing, "aten::squeeze", made);
  };
  if (!c.value("is_causal").flag()) {
    const bool by_four = mask_rank == 3 && rank + missing == 4;
    const size_t missing_of_mask = mask_rank < 2 ? 2 - mask_rank : by_four;
    const std::string mask = spell_times(missing_of_mask, "aten::unsqueeze", "attn_mask");
    return attention("attn_mask == None ? None : " + mask, "False");
  }
  const std::string both = spell_call("aten::add", {spell_mask_bias(), spell_causal_bias(c)});
  return "attn_mask == None ? " + attention("None", "True") + " : " + attention(both, "False");
}

// Of the product of queries and keys, and of that of weights and values.
std::optional<int64_t> operations_of_attention(const OpTensors& tensors) {
  const int64_t features = axis_from_end(tensors.inputs[0], 0);
  const int64_t keys = axis_from_end(tensors.inputs[1], 1);
  const int64_t width = axis_from_end(tensors.inputs[2], 0);
  if (width == 0) return 0;
  const int64_t rows = elements_made(tensors) / width;
  return count_product(count_product(count_product(2, rows), keys), count_sum(features, width));
}

}  // namespace

OpDef define_scaled_dot_product() {
  std::vector<PortDef> inputs = attention_inputs({{"value", "*v S F", "number"}});
  inputs.push_back(value("dropout_p", "float|int", 0.0));
  return {
      .name = "scaled_dot_product",
      .doc =
          "softmax(query @ key.T * scale + attn_mask) @ value (https://arxiv.org/abs/1706.03762). "
          "scale=None is 1 / sqrt(E). A bool mask [..., L, S] is true where a query may attend to "
          "a key; a float mask is added to the scores. is_causal=True hides the keys after "
          "position i from query i. A query that may attend to no key gets zeros. dropout_p must "
          "be 0; the layer ScaledDotProduct applies dropout.",
      .inputs = std::move(inputs),
      .outputs = {{"output", "*o L F", "float"}},
      .shape_constraints = {"*w = broadcast(*q, *k)", "*o = broadcast(*w, *v)"},
      .solve = solve_scaled_dot_product,
      .eval = eval_scaled_dot_product,
      .grad = differentiate_scaled_dot_product,
      .batch = batch_attention,
      .canonical = {"query"},
      .samples = samples_of_matrices,
      .cast = CastPolicy::lower,
      .work = {.operations = operations_of_attention},
      .spell = {{"jax",
                 "scaled_dot_product({query}, {key}, {value}, {attn_mask}, {is_causal}, {scale})"},
                {"onnx",
                 "MatMul(attention_weights(query, key, attn_mask.raw, is_causal, scale), value)"},
                {"torch", "aten::scaled_dot_product_attention", spell_scaled_dot_product},
                {"cpu", "attention(query, key, value, attn_mask, is_causal, scale)"}},
  };
}

}  // namespace mithril
