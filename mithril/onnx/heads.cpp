#include "mithril/onnx/heads.hpp"

#include <cmath>

namespace mithril::onnx {
namespace {

// Each head of the keys serves `times` neighbouring heads of the queries.
Connection repeated_heads(const Connection& x, std::int64_t times) {
  if (times == 1) return x;
  const std::vector<Size> s = *sizes_of(x);
  const std::vector<Size> wide{s[0], s[1], times, s[2], s[3]};
  const Connection all = apply("broadcast_to", {expanded(x, {2}), Binding(bindings_of(wide))});
  return reshaped(all, {s[0], product_of({s[1], times}), s[2], s[3]});
}

std::int64_t head_count(const Connection& x, const char* whose) {
  const std::vector<Size> sizes = *sizes_of(x);
  const auto* count = std::get_if<std::int64_t>(&sizes[1]);
  const std::string what = std::string("the number of heads of the ") + whose;
  if (!count) refuse("it needs " + what, "shapes= of the inputs states it");
  return within(what, *count, 1);
}

}  // namespace

Connection split_heads(const Connection& x, std::int64_t heads) {
  const std::vector<Size> sizes = *sizes_of(x);
  return transposed(reshaped(x, {sizes[0], sizes[1], heads, -1}), {0, 2, 1, 3});
}

Connection merged_heads(const Connection& x) {
  const std::vector<Size> sizes = *sizes_of(x);
  return reshaped(transposed(x, {0, 2, 1, 3}),
                  {sizes[0], sizes[2], product_of({sizes[1], sizes[3]})});
}

Heads aligned(Heads heads) {
  const std::int64_t queries = head_count(heads.queries, "queries");
  const std::int64_t keys = head_count(heads.keys, "keys");
  if (queries % keys != 0) refuse("its number of heads is not a multiple of that of the keys");
  heads.keys = repeated_heads(heads.keys, queries / keys);
  heads.values = repeated_heads(heads.values, queries / keys);
  return heads;
}

Connection scaled_products(const NodeContext& node, const Heads& heads) {
  double scale = node.real("scale", 0.0);
  if (!node.attribute("scale")) {
    const std::vector<Size> sizes = *sizes_of(heads.queries);
    const auto* size = std::get_if<std::int64_t>(&sizes[3]);
    if (!size) refuse("it needs the size of a head", "shapes= of the inputs states it");
    scale = 1 / std::sqrt(static_cast<double>(*size));
  }
  const Connection root = constant(Tensor::scalar(std::sqrt(scale)).to(*held_dtype(node.type())));
  return matmul(heads.queries * root, transposed(heads.keys, {0, 1, 3, 2}) * root);
}

}  // namespace mithril::onnx
