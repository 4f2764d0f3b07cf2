// Attention, and the blocks of transformers.
#pragma once
#include "mithril/models/part_argument.hpp"

namespace mithril {

struct MaskedSoftmaxOptions {
  int64_t axis = -1;
};
// Softmax over the unmasked elements. Masked elements, and rows without unmasked elements, are 0.
// Ports: input, mask (bool, broadcast; true: counts), output.
Model MaskedSoftmax(const MaskedSoftmaxOptions& options = {});

struct MultiHeadAttentionOptions {
  int64_t num_heads = 1;                  // divides the dimension
  std::optional<int64_t> dimension = {};  // empty: inferred
  bool use_bias = true;
  bool is_causal = false;  // each position attends to itself and earlier ones
  bool use_mask = false;   // a port mask (bool, broadcast to [N, heads, L, S]; true: is seen)
};
// softmax(q k' / sqrt(D / heads)) v for each head (Vaswani et al. 2017). Ports: query [N, L, D],
// key [N, S, D], value [N, S, D], mask, w_query, w_key, w_value, w_output [D, D], bias_query,
// bias_key, bias_value, bias_output [D], output [N, L, D].
Model MultiHeadAttention(const MultiHeadAttentionOptions& options);

struct TransformerBlockOptions {
  int64_t num_heads = 1;
  int64_t dimension = 0;
  std::optional<int64_t> hidden_dimension = {};  // of the perceptron; empty: 4 times the dimension
  PartArgument activation = "Gelu";
  bool is_causal = false;
  bool norm_first = true;  // false: each norm follows its sum
  double eps = 1e-5;
};
// x + attention(norm(x)), then x + perceptron(norm(x)). Ports: input [N, L, D], output; parameters
// attention.w_query, ..., norm_1.weight, norm_2.weight, fc_1.weight, fc_2.weight and so on.
Model TransformerBlock(const TransformerBlockOptions& options);

}  // namespace mithril
