#include "runner/transformers.hpp"

#include <cmath>

#include "mithril/models/attention.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"

namespace mithril::bench {
namespace {

class Builder {
 public:
  explicit Builder(const TransformerSize& size) : size_(size), tokens_("x0") {}

  // Weights have PyTorch's names.
  Connection build() const {
    const Connection embedded = Embedding({.num_embeddings = size_.vocabulary, .dim = size_.width})(
        {{"input", tokens_}, {"weight", "e_weight"}});
    Connection x = embedded + Connection("p")[slice(none, tokens_.shape()[1])];
    for (int64_t i = 0; i < size_.layers; ++i) x = layer("l_" + std::to_string(i), x);
    x = norm("n", x);
    return size_.is_gpt ? linear("lm", size_.vocabulary, x, false) : x;
  }

 private:
  static Connection linear(const std::string& name, int64_t width, const Connection& x,
                           bool has_bias = true) {
    Bindings ports{{"input", x}, {"weight", name + "_weight"}};
    if (has_bias) ports.emplace_back("bias", name + "_bias");
    return Linear({.dimension = width, .use_bias = has_bias})(ports);
  }

  static Connection norm(const std::string& name, const Connection& x) {
    return LayerNorm()({{"input", x}, {"weight", name + "_weight"}, {"bias", name + "_bias"}});
  }

  // Rows of tokens as [N, heads, T, width / heads].
  Connection heads(const Connection& x) const {
    return x
        .reshape({tokens_.shape()[0], tokens_.shape()[1], size_.heads, size_.width / size_.heads})
        .transpose({0, 2, 1, 3});
  }

  Connection attention(const std::string& name, const Connection& x) const {
    const Connection together = linear(name + "_qkv", 3 * size_.width, x);
    const auto part = [&](int64_t i) {
      return heads(together.at({ellipsis, slice(i * size_.width, (i + 1) * size_.width)}));
    };
    const Connection mixed = ScaledDotProduct({.is_causal = size_.is_gpt})(
        {{"query", part(0)}, {"key", part(1)}, {"value", part(2)}});
    const Connection joined = mixed.transpose({0, 2, 1, 3})
                                  .reshape({tokens_.shape()[0], tokens_.shape()[1], size_.width});
    return linear(name + "_o", size_.width, joined);
  }

  Connection feed_forward(const std::string& name, const Connection& x) const {
    return linear(name + "_f2", size_.width, Gelu()(linear(name + "_f1", 4 * size_.width, x)));
  }

  Connection layer(const std::string& name, const Connection& x) const {
    if (size_.is_gpt) {
      const Connection mixed = x + attention(name + "_a", norm(name + "_n1", x));
      return mixed + feed_forward(name, norm(name + "_n2", mixed));
    }
    const Connection mixed = norm(name + "_n1", x + attention(name + "_a", x));
    return norm(name + "_n2", mixed + feed_forward(name, mixed));
  }

  TransformerSize size_;
  Connection tokens_;
};

Model finished(const TransformerSize& size, const std::string& name, const Connection& output) {
  Model model = Model::create({{name, output}});
  model.set_shapes({{"p", {size.positions, size.width}}});
  model.set_cin({"x0"});
  return model;
}

}  // namespace

Model reader(const TransformerSize& size) { return finished(size, "out", Builder(size).build()); }

Model imitator(const TransformerSize& size) {
  return finished(size, "loss", SquaredError()(Builder(size).build(), Connection("y")).mean());
}

}  // namespace mithril::bench
