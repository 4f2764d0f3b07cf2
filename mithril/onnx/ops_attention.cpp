// Attention and rotary positions.
#include <limits>

#include "mithril/onnx/heads.hpp"
#include "mithril/onnx/windows.hpp"

namespace mithril::onnx {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The inputs of Attention.
enum : std::size_t { mask_input = 3, past_key = 4, past_value = 5, key_lengths = 6 };

// Which keys a query may attend to, and what is added to its scores.
struct AttentionMask {
  std::optional<Connection> allowed = {}, added = {};

  void allow(const Connection& more) { allowed = allowed ? *allowed & more : more; }
  // The scores of keys that are left out are -inf.
  Connection applied(const Connection& scores) const {
    const Connection sum = added ? scores + *added : scores;
    return allowed ? selected(*allowed, sum, -infinity) : sum;
  }
  // For each query, whether it may attend to no key.
  Connection leaves_nothing() const {
    if (!added) return apply("max", {allowed->cast(DType::float32), -1, true}).eq(0.0);
    const Connection bias = allowed ? selected(*allowed, *added, -infinity) : *added;
    return apply("max", {bias, -1, true}).eq(-infinity);
  }
  bool is_empty() const { return !allowed && !added; }
};

// The mask for all keys. Those after its end are left out.
Connection whole_mask(const NodeContext& node, const Size& keys) {
  node.need_rank(mask_input, 1, 4);
  const std::vector<Size> sizes = node.sizes(mask_input);
  const auto *own = std::get_if<std::int64_t>(&sizes.back()),
             *all = std::get_if<std::int64_t>(&keys);
  if (!own || !all || *own == *all) return node[mask_input];
  if (*own > *all)
    refuse("its mask has " + std::to_string(*own) + " keys of " + std::to_string(*all));
  std::vector<std::pair<std::int64_t, std::int64_t>> pads(sizes.size());
  pads.back().second = *all - *own;
  const bool is_bool = node.type(mask_input) == ElementType::boolean;
  const Binding filler = is_bool ? Binding(false) : Binding(-infinity);
  return apply("pad", {node[mask_input], pairs_of(pads), filler});
}

// `queries`, `keys`: their numbers.
AttentionMask attention_mask(const NodeContext& node, const Size& queries, const Size& keys) {
  AttentionMask mask;
  if (node.has(mask_input)) {
    const Connection whole = whole_mask(node, keys);
    (node.type(mask_input) == ElementType::boolean ? mask.allowed : mask.added) = whole;
  }
  const Connection places = positions_to(keys);
  // The place of each query among the keys: [Q, 1], or [B, 1, Q, 1].
  Connection own = expanded(positions_to(queries), {1});
  if (node.has(past_key)) own = apply("add", {own, binding_of(node.sizes(past_key)[2])});
  if (node.has(key_lengths)) {
    const Connection lengths = expanded(node[key_lengths], {1, 2, 3});
    own = own + apply("subtract", {lengths, binding_of(queries)});
    mask.allow(places < lengths);
  }
  const auto window = [&](const char* name) {
    return within(std::string("its attribute '") + name + "'", node.integer(name, -1), -1);
  };
  const std::int64_t before = window("left_window_size"), after = window("right_window_size");
  if (node.flag("is_causal")) mask.allow(places <= own);
  if (before >= 0) mask.allow(places >= own - before);
  if (after >= 0) mask.allow(places <= own + after);
  return mask;
}

// In the precision that the node states, and back. A query without keys gets zeros.
Connection weights_of(const NodeContext& node, const Connection& scores,
                      const AttentionMask& mask) {
  const ElementType precision = element_type(node, "softmax_precision", node.type());
  if (!is_float(precision)) refuse("its softmax_precision is " + name_of(precision));
  const Connection wide = precision == node.type() ? scores : converted(scores, precision);
  if (mask.is_empty()) return converted(apply("softmax", {wide, -1}), node.type());
  const Connection nothing = mask.leaves_nothing();
  const Connection weights = apply("softmax", {selected(nothing, 0.0, wide), -1});
  return converted(selected(nothing, 0.0, weights), node.type());
}

// The axis of heads of an input [B, heads, S, D] states their number, too.
void check_heads(const NodeContext& node, const char* name, std::size_t input) {
  const std::int64_t stated = node.integer(name, 0);
  const std::vector<Size> sizes = node.sizes(input);
  const auto* heads = std::get_if<std::int64_t>(&sizes[1]);
  if (stated == 0 || !heads || stated == *heads) return;
  refuse("its attribute '" + std::string(name) + "' is " + std::to_string(stated) +
         ", and its input has " + std::to_string(*heads) + " heads");
}

Outputs attention(const NodeContext& node) {
  const bool is_flat = node.need_rank(0, 3, 4) == 3;
  for (const std::size_t i : {1, 2}) node.need_rank(i, node.rank(0), node.rank(0));
  for (const std::size_t i : {past_key, past_value})
    if (node.has(i)) node.need_rank(i, 4, 4);
  if (node.has(past_key) && node.has(key_lengths)) refuse("it has a past and nonpad_kv_seqlen");
  Heads heads{node[0], node[1], node[2]};
  if (is_flat) {
    const auto count = [&](const char* name) {
      return within(std::string("its attribute ") + name, node.integer(name), 1);
    };
    heads.queries = split_heads(heads.queries, count("q_num_heads"));
    heads.keys = split_heads(heads.keys, count("kv_num_heads"));
    heads.values = split_heads(heads.values, count("kv_num_heads"));
  } else {
    check_heads(node, "q_num_heads", 0);
    check_heads(node, "kv_num_heads", 1);
  }
  if (node.has(past_key)) heads.keys = joined({node[past_key], heads.keys}, 2);
  if (node.has(past_value)) heads.values = joined({node[past_value], heads.values}, 2);
  const Connection present_k = heads.keys, present_v = heads.values;
  heads = aligned(heads);
  const Connection products = scaled_products(node, heads);
  const double cap = node.real("softcap", 0.0);
  const Connection capped = cap != 0 ? apply("tanh", {products / cap}) * cap : products;
  const AttentionMask mask =
      attention_mask(node, (*sizes_of(heads.queries))[2], (*sizes_of(heads.keys))[2]);
  const Connection scores = mask.applied(capped);
  const Connection weights = weights_of(node, scores, mask);
  Connection result = matmul(weights, heads.values);
  if (is_flat) result = merged_heads(result);
  const std::int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (node.wants(3) && (mode < 0 || mode > 3)) refuse("its qk_matmul_output_mode is not supported");
  const Connection shown[] = {products, capped, scores, weights};
  return {result, present_k, present_v, shown[node.wants(3) ? mode : 0]};
}

Outputs rotary_embedding(const NodeContext& node) {
  const bool is_flat = node.need_rank(0, 3, 4) == 3;
  // [B, S, heads, D]
  Connection x = node[0];
  std::vector<Size> sizes = node.sizes(0);
  if (is_flat) {
    x = reshaped(x, {sizes[0], sizes[1],
                     within("its attribute 'num_heads'", node.integer("num_heads"), 1), -1});
  } else {
    check_heads(node, "num_heads", 0);
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
                 "numbers of heads that are not known"}),
      of_floats({"RotaryEmbedding", 23, rotary_embedding, "Multiply, Add, Concat"}),
  };
}

}  // namespace mithril::onnx
