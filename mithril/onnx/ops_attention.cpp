// Attention and rotary positions.
#include <cmath>
#include <limits>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

void refuse_halves(const NodeContext& node) {
  if (size_of(*held_dtype(node.type())) == 2) refuse("halves are not supported");
}

// [B, S, heads * D] as [B, heads, S, D].
Connection split_heads(const Connection& x, std::int64_t heads) {
  const std::vector<Size> sizes = *sizes_of(x);
  return transposed(reshaped(x, {sizes[0], sizes[1], heads, -1}), {0, 2, 1, 3});
}

// Each head of the keys serves `times` neighbouring heads of the queries.
Connection repeated_heads(const Connection& x, std::int64_t times) {
  if (times == 1) return x;
  const std::vector<Size> s = *sizes_of(x);
  const std::vector<Size> wide{s[0], s[1], times, s[2], s[3]};
  const Connection all = apply("broadcast_to", {expanded(x, {2}), Binding(bindings_of(wide))});
  return reshaped(all, {s[0], product_of({s[1], times}), s[2], s[3]});
}

Outputs attention(const NodeContext& node) {
  refuse_halves(node);
  if (node.has(6)) refuse("nonpad_kv_seqlen is not supported");
  for (const char* name : {"left_window_size", "right_window_size"})
    if (node.integer(name, -1) != -1) refuse(std::string(name) + " is not supported");
  const bool is_flat = node.need_rank(0, 3, 4) == 3;
  for (const std::size_t i : {1, 2}) node.need_rank(i, node.rank(0), node.rank(0));
  for (const std::size_t i : {4, 5})
    if (node.has(i)) node.need_rank(i, 4, 4);
  if (node.has(3)) node.need_rank(3, 1, 4);
  Connection q = node[0], k = node[1], v = node[2];
  if (is_flat) {
    const auto heads = [&](const char* name) {
      return within(std::string("its attribute ") + name, node.integer(name), 1);
    };
    q = split_heads(q, heads("q_num_heads"));
    k = split_heads(k, heads("kv_num_heads"));
    v = split_heads(v, heads("kv_num_heads"));
  }
  if (node.has(4)) k = joined({node[4], k}, 2);
  if (node.has(5)) v = joined({node[5], v}, 2);
  const Connection present_k = k, present_v = v;
  const auto q_sizes = numbers_of(*sizes_of(q)), k_sizes = numbers_of(*sizes_of(k));
  if (!q_sizes || !k_sizes) refuse("it needs the sizes of its inputs");
  const std::int64_t key_heads = within("the number of heads of the keys", (*k_sizes)[1], 1);
  if ((*q_sizes)[1] % key_heads != 0)
    refuse("its number of heads is not a multiple of that of the keys");
  k = repeated_heads(k, (*q_sizes)[1] / key_heads);
  v = repeated_heads(v, (*q_sizes)[1] / key_heads);
  const double scale = node.real("scale", 1 / std::sqrt(static_cast<double>((*q_sizes)[3])));
  const double root = std::sqrt(scale);
  const Connection products = matmul(q * root, transposed(k, {0, 1, 3, 2}) * root);
  const double infinity = std::numeric_limits<double>::infinity();
  Connection scores = products;
  const double cap = node.real("softcap", 0.0);
  if (cap != 0) scores = apply("tanh", {scores / cap}) * cap;
  const Connection capped = scores;
  if (node.has(3)) {
    if (node.known_dims(3).back() != (*k_sizes)[2]) refuse("its mask is shorter than the keys");
    if (node.type(3) == ElementType::boolean) {
      scores = selected(node[3], scores, -infinity);
    } else {
      scores = scores + node[3];
    }
  }
  if (node.flag("is_causal")) {
    const std::int64_t before = node.has(4) ? node.known_dims(4)[2] : 0;
    const Connection rows = expanded(positions_to((*q_sizes)[2]), {1}) + before;
    scores = selected(positions_to((*k_sizes)[2]) <= rows, scores, -infinity);
  }
  const Connection weights = apply("softmax", {scores, -1});
  // A query that may attend to nothing gets zeros.
  const Connection safe = selected(apply("max", {scores, -1, true}).eq(-infinity), 0.0, weights);
  Connection result = matmul(safe, v);
  if (is_flat) {
    const std::vector<Size> sizes = *sizes_of(result);
    result = reshaped(transposed(result, {0, 2, 1, 3}),
                      {sizes[0], sizes[2], product_of({sizes[1], sizes[3]})});
  }
  const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (node.wants(3) && (mode < 0 || mode > 3)) refuse("its qk_matmul_output_mode is not supported");
  const Connection shown[] = {products, capped, scores, safe};
  return {result, present_k, present_v, shown[node.wants(3) ? mode : 0]};
}

Outputs rotary_embedding(const NodeContext& node) {
  refuse_halves(node);
  const bool is_flat = node.need_rank(0, 3, 4) == 3;
  // [B, S, heads, D]
  Connection x = node[0];
  std::vector<Size> sizes = node.sizes(0);
  if (is_flat) {
    x = reshaped(x, {sizes[0], sizes[1],
                     within("its attribute 'num_heads'", node.integer("num_heads"), 1), -1});
  } else {
    x = transposed(x, {0, 2, 1, 3});
  }
  const std::vector<Size> inner = *sizes_of(x);
  const auto* head = std::get_if<std::int64_t>(&inner[3]);
  if (!head) refuse("it needs the size of a head");
  std::int64_t turned = node.integer("rotary_embedding_dim", 0);
  if (turned == 0) turned = *head;
  within("its attribute 'rotary_embedding_dim'", turned, 0, *head);
  const auto factor = [&](std::size_t i) {
    const Connection all = node.has(3) ? apply("gather", {node[i], node[3], 0}) : node[i];
    return expanded(all, {2});  // [B, S, 1, turned / 2]
  };
  const Connection cosine = factor(1), sine = factor(2);
  const Connection part = sliced(x, 3, 0, turned);
  const bool is_interleaved = node.flag("interleaved");
  const std::vector<Size> pairs{inner[0], inner[1], inner[2], turned / 2, 2};
  const auto half = [&](std::int64_t i) {
    if (is_interleaved) return apply("gather", {reshaped(part, pairs), i, 4});
    return sliced(part, 3, i * (turned / 2), (i + 1) * (turned / 2));
  };
  const Connection real = cosine * half(0) - sine * half(1);
  const Connection imaginary = sine * half(0) + cosine * half(1);
  Connection made;
  if (is_interleaved) {
    made = reshaped(joined({expanded(real, {4}), expanded(imaginary, {4})}, 4),
                    {inner[0], inner[1], inner[2], turned});
  } else {
    made = joined({real, imaginary}, 3);
  }
  if (turned != *head) made = joined({made, sliced(x, 3, turned, *head)}, 3);
  if (is_flat) return {reshaped(made, sizes)};
  return {transposed(made, {0, 2, 1, 3})};
}

}  // namespace

std::vector<OpRow> attention_rows() {
  return {
      of_floats({"Attention", 23, attention, "MatrixMultiply, Softmax, Where",
                 "halves, nonpad_kv_seqlen, windows, masks shorter than the keys"}),
      of_floats({"RotaryEmbedding", 23, rotary_embedding, "Multiply, Add, Concat", "halves"}),
  };
}

}  // namespace mithril::onnx
