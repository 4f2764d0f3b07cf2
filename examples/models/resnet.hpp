// ResNet: He et al., https://arxiv.org/abs/1512.03385. The same model as resnet.py, with the same
// names of parameters.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

namespace resnet {

namespace ml = mithril;

// The fields of Hugging Face's config.json; the defaults are those of resnet-50.
struct Config {
  int64_t num_channels = 3;
  int64_t embedding_size = 64;
  std::vector<int64_t> hidden_sizes = {256, 512, 1024, 2048};
  std::vector<int64_t> depths = {3, 4, 6, 3};
  bool bottleneck = true;  // layer_type
  int64_t classes = 1000;
};

inline Config resnet_18() {
  return {.hidden_sizes = {64, 128, 256, 512}, .depths = {2, 2, 2, 2}, .bottleneck = false};
}

inline Config resnet_34() { return {.hidden_sizes = {64, 128, 256, 512}, .bottleneck = false}; }

// A convolution and its batch norm.
inline ml::Connection convolution(const ml::Connection& x, int64_t filters, int64_t kernel_size,
                                  int64_t stride, const std::string& name) {
  const ml::Connection y = ml::Conv2d({.filters = filters,
                                       .kernel_size = kernel_size,
                                       .stride = stride,
                                       .padding = kernel_size / 2,
                                       .use_bias = false})
                               .named(name + ".convolution")(x);
  return ml::BatchNorm2D().named(name + ".normalization")(y);
}

inline ml::Connection basic(const ml::Connection& x, int64_t filters, int64_t stride,
                            const std::string& name) {
  const ml::Connection y = ml::Relu()(convolution(x, filters, 3, stride, name + ".0"));
  return convolution(y, filters, 3, 1, name + ".1");
}

inline ml::Connection bottleneck(const ml::Connection& x, int64_t filters, int64_t stride,
                                 const std::string& name) {
  ml::Connection y = ml::Relu()(convolution(x, filters / 4, 1, 1, name + ".0"));
  y = ml::Relu()(convolution(y, filters / 4, 3, stride, name + ".1"));
  return convolution(y, filters, 1, 1, name + ".2");
}

inline ml::Connection block(ml::Connection x, int64_t filters, int64_t stride, const Config& config,
                            const std::string& name) {
  const auto layer = config.bottleneck ? bottleneck : basic;
  const ml::Connection y = layer(x, filters, stride, name + ".layer");
  if (stride != 1 || !(x.known_shape()[1] == filters))
    x = convolution(x, filters, 1, stride, name + ".shortcut");
  return ml::Relu()(y + x);
}

// Ports: pixel_values [N, num_channels, H, W], logits [N, classes].
inline ml::Model model(const Config& config) {
  const ml::Connection image(
      ml::IOKey{.name = "pixel_values", .shape = {{"N", config.num_channels, "H", "W"}}});
  ml::Connection x =
      ml::Relu()(convolution(image, config.embedding_size, 7, 2, "embedder.embedder"));
  x = ml::MaxPool2D({.kernel_size = 3, .stride = 2, .padding = 1})(x);
  for (size_t i = 0; i < config.depths.size(); ++i) {
    const std::string stage = "encoder.stages." + std::to_string(i) + ".layers.";
    for (int64_t j = 0; j < config.depths[i]; ++j)
      x = block(x, config.hidden_sizes[i], i > 0 && j == 0 ? 2 : 1, config,
                stage + std::to_string(j));
  }
  const ml::Connection pooled = x.mean({2, 3});
  const ml::Connection logits =
      ml::Linear({.dimension = config.classes}).named("classifier")(pooled);
  return ml::Model::create({{"logits", logits}});
}

}  // namespace resnet
