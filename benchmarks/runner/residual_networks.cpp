#include "runner/residual_networks.hpp"

#include "mithril/models/convolution.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/pooling.hpp"

namespace mithril::bench {
namespace {

class Writer {
 public:
  explicit Writer(const ResidualNetwork& network) : network_(network), channels_(network.width) {}

  Model write() {
    const std::vector<int>& stages = network_.blocks;
    std::string at =
        positive(normed("x0", "c", "b", {.filters = network_.width, .size = 7, .stride = 2}));
    model_ |= Model::op("max_pool2d")({{"input", at},
                                       {"kernel_size", Datum(3)},
                                       {"stride", Datum(2)},
                                       {"padding", Datum(1)},
                                       {"output", "pooled"}});
    at = "pooled";
    int block = 0;
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      for (int i = 0; i < stages[stage]; ++i) {
        const int64_t stride = i == 0 && stage > 0 ? 2 : 1;
        at =
            add_block(at, "body_" + std::to_string(block++) + "_", network_.width << stage, stride);
      }
    }
    return classified(at);
  }

  // MobileNetV2.
  Model write_mobile() {
    struct Stage {
      int64_t expansion, filters;
      int blocks;
      int64_t stride;
    };
    channels_ = 32;
    std::string at = positive(normed("x0", "c", "b", {.filters = 32, .stride = 2}));
    int block = 0;
    for (const Stage& stage : std::initializer_list<Stage>{{1, 16, 1, 1},
                                                           {6, 24, 2, 2},
                                                           {6, 32, 3, 2},
                                                           {6, 64, 4, 2},
                                                           {6, 96, 3, 1},
                                                           {6, 160, 3, 2},
                                                           {6, 320, 1, 1}}) {
      for (int i = 0; i < stage.blocks; ++i) {
        at = add_inverted(at, "body_" + std::to_string(block++) + "_", stage.expansion,
                          stage.filters, i == 0 ? stage.stride : 1);
      }
    }
    return classified(positive(normed(at, "e", "f", {.filters = 1280, .size = 1})));
  }

 private:
  struct Convolution {
    int64_t filters, size = 3, stride = 1, groups = 1;
  };

  Model classified(const std::string& at) {
    model_ |=
        Model::op("mean")({{"input", at}, {"axis", Datum::ints({2, 3})}, {"output", "features"}});
    model_ |= Linear({.dimension = 1000})(
        {{"input", "features"}, {"weight", "fc_weight"}, {"bias", "fc_bias"}, {"output", "out"}});
    model_.expose_keys({"out"});
    return std::move(model_);
  }

  std::string add_inverted(const std::string& from, const std::string& prefix, int64_t expansion,
                           int64_t filters, int64_t stride) {
    const int64_t wide = expansion * channels_;
    std::string at = from;
    if (expansion > 1) {
      at = positive(normed(at, prefix + "c1", prefix + "b1", {.filters = wide, .size = 1}));
    }
    at = positive(normed(at, prefix + "c2", prefix + "b2",
                         {.filters = wide, .stride = stride, .groups = wide}));
    at = normed(at, prefix + "c3", prefix + "b3", {.filters = filters, .size = 1});
    const bool adds = stride == 1 && filters == channels_;
    channels_ = filters;
    if (!adds) return at;
    model_ |= Model::op("add")({{"left", at}, {"right", from}, {"output", prefix + "sum"}});
    return prefix + "sum";
  }

  std::string add_block(const std::string& from, const std::string& prefix, int64_t width,
                        int64_t stride) {
    const int64_t channels = network_.bottlenecks ? 4 * width : width;
    const auto layer = [&](const std::string& at, const char* number, Convolution convolution) {
      return normed(at, prefix + "c" + number, prefix + "b" + number, convolution);
    };
    std::string at = from;
    if (network_.bottlenecks) {
      const int64_t inner = network_.groups > 1 ? 2 * width : width;
      at = positive(layer(at, "1", {.filters = inner, .size = 1}));
      at =
          positive(layer(at, "2", {.filters = inner, .stride = stride, .groups = network_.groups}));
      at = layer(at, "3", {.filters = channels, .size = 1});
    } else {
      at = positive(layer(at, "1", {.filters = width, .stride = stride}));
      at = layer(at, "2", {.filters = width});
    }
    std::string beside = from;
    if (stride != 1 || channels != channels_) {
      beside = normed(from, prefix + "d_0", prefix + "d_1",
                      {.filters = channels, .size = 1, .stride = stride});
    }
    channels_ = channels;
    model_ |= Model::op("add")({{"left", at}, {"right", beside}, {"output", prefix + "sum"}});
    return positive(prefix + "sum");
  }

  // A convolution and a batch norm, whose weights have these names.
  std::string normed(const std::string& from, const std::string& name, const std::string& norm,
                     Convolution convolution) {
    model_ |= Conv2d({.filters = convolution.filters,
                      .kernel_size = convolution.size,
                      .stride = convolution.stride,
                      .padding = convolution.size / 2,
                      .groups = convolution.groups,
                      .use_bias = false})(
        {{"input", from}, {"weight", name + "_weight"}, {"output", name + "_output"}});
    model_ |= Model::op("batch_norm_inference")({{"input", name + "_output"},
                                                 {"mean", norm + "_running_mean"},
                                                 {"variance", norm + "_running_var"},
                                                 {"weight", norm + "_weight"},
                                                 {"bias", norm + "_bias"},
                                                 {"eps", Datum(1e-5)},
                                                 {"output", norm + "_output"}});
    return norm + "_output";
  }

  std::string positive(const std::string& from) {
    const std::string to = from + "_positive";
    model_ |= Relu()({{"input", from}, {"output", to}});
    return to;
  }

  Model model_;
  const ResidualNetwork network_;
  int64_t channels_;
};

}  // namespace

Model residual_network(const ResidualNetwork& network) { return Writer(network).write(); }

Model mobile_network() { return Writer({}).write_mobile(); }

}  // namespace mithril::bench
