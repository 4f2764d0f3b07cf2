// Linear attention: a matrix for each head that every token updates.
#include <cmath>

#include "mithril/models/scan.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

class LinearAttention {
 public:
  explicit LinearAttention(const NodeContext& node)
      : node_(node),
        type_(node.type() == ElementType::float64 ? ElementType::float64 : ElementType::float32) {
    const std::string rule = node.text("update_rule", "gated_delta");
    decays_ = rule == "gated" || rule == "gated_delta";
    corrects_ = rule == "delta" || rule == "gated_delta";
    if (!decays_ && !corrects_ && rule != "linear") refuse("its update_rule is " + rule);
    check_input("decay", 4, decays_);
    check_input("beta", 5, corrects_);
    for (const std::size_t i : {0, 1, 2}) node.need_rank(i, 3, 3);
    const std::int64_t queries = heads("q_num_heads");
    heads_ = heads("kv_num_heads");
    if (queries % heads_ != 0)
      refuse("its attribute 'q_num_heads' is not a multiple of 'kv_num_heads'");
    queries_per_head_ = queries / heads_;
    key_size_ = last_size(0) / queries;
    value_size_ = last_size(2) / heads_;
  }

  Outputs run() const {
    ScanOptions options{.carry = {{"state", "state_next"}},
                        .sequences = {"query", "key", "value"},
                        .outputs = {"y"},
                        .axis = 1};
    Bindings bindings{{"state", first_state()},
                      {"query", by_head(0, {queries_per_head_, key_size_})},
                      {"key", by_head(1, {key_size_})},
                      {"value", by_head(2, {value_size_})}};
    if (decays_) {
      options.sequences.push_back("decay");
      bindings.emplace_back("decay", by_head(4, {last_size(4) / heads_}));
    }
    if (corrects_) {
      options.sequences.push_back("beta");
      bindings.emplace_back("beta", reshaped(wide(5), {batch(), tokens(), last_size(5), 1}));
    }
    const Model loop = Scan(step(), options);
    static_cast<void>(loop.apply(bindings));
    const std::vector<Size> flat{batch(), tokens(), heads_ * queries_per_head_ * value_size_};
    const ElementType of_state = node_.type(node_.has(3) ? 3 : 0);
    return {Value(converted(reshaped(loop.at("y"), flat), node_.type()), node_.type()),
            Value(converted(loop.at("state_last"), of_state), of_state)};
  }

 private:
  void check_input(const std::string& name, std::size_t i, bool is_needed) const {
    if (node_.has(i) != is_needed)
      refuse("its update_rule " + std::string(is_needed ? "needs" : "has no") + " input " + name);
    if (is_needed) node_.need_rank(i, 3, 3);
  }
  std::int64_t heads(const std::string& name) const {
    return within("its attribute '" + name + "'", node_.integer(name), 1);
  }
  std::int64_t last_size(std::size_t i) const {
    const Size size = node_.sizes(i)[2];
    const auto* number = std::get_if<std::int64_t>(&size);
    if (!number) refuse("it needs the size of a head");
    return *number;
  }
  Size batch() const { return node_.sizes(0)[0]; }
  Size tokens() const { return node_.sizes(0)[1]; }

  Connection wide(std::size_t i) const { return converted(node_[i], type_); }
  // [B, T, heads * sizes] as [B, T, heads, sizes].
  Connection by_head(std::size_t i, const std::vector<Size>& sizes) const {
    return reshaped(wide(i), std::vector<Size>{batch(), tokens(), heads_} + sizes);
  }
  Connection first_state() const {
    if (node_.has(3)) return wide(3);
    const std::vector<Size> sizes{batch(), heads_, key_size_, value_size_};
    const Connection zeros = reshaped(apply("zeros", {Binding(bindings_of(sizes))}), sizes);
    return node_.workspace().exact(zeros, type_);
  }

  // The update by one token. The state is [B, heads, key size, value size].
  Model step() const {
    const Connection key = port("key"), query = port("query");
    Connection state = port("state"), row = expanded(port("value"), {2});
    if (decays_) state = state * expanded(apply("exp", {port("decay")}), {3});
    if (corrects_) {
      const Connection found = apply("matmul", {expanded(key, {2}), state});
      row = expanded(port("beta"), {2}) * (row - found);
    }
    state = state + expanded(key, {3}) * row;
    const double stated = node_.real("scale", 0.0);
    const double scale = stated == 0.0 ? 1.0 / std::sqrt(static_cast<double>(key_size_)) : stated;
    return Model::create({{"state_next", state}, {"y", apply("matmul", {query, state}) * scale}});
  }

  const NodeContext& node_;
  ElementType type_;  // of the state
  bool decays_ = false, corrects_ = false;
  std::int64_t heads_ = 0, queries_per_head_ = 0, key_size_ = 0, value_size_ = 0;
};

Outputs linear_attention(const NodeContext& node) { return LinearAttention(node).run(); }

}  // namespace

std::vector<OpRow> linear_attention_rows() {
  return {of_floats({"LinearAttention", 27, linear_attention, "Scan"})};
}

}  // namespace mithril::onnx
