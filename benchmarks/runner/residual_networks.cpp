#include "runner/residual_networks.hpp"

namespace mithril::bench {
namespace {

class Writer {
 public:
  explicit Writer(bool bottlenecks) : bottlenecks_(bottlenecks) {}

  Model write(const std::vector<int>& stages) {
    std::string at = positive(normed("x0", "c", "b", {.filters = 64, .size = 7, .stride = 2}));
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
        at = add_block(at, "body_" + std::to_string(block++) + "_", int64_t{64} << stage, stride);
      }
    }
    model_ |=
        Model::op("mean")({{"input", at}, {"axis", Datum::ints({2, 3})}, {"output", "features"}});
    model_ |= Linear({.dimension = 1000})(
        {{"input", "features"}, {"weight", "fc_weight"}, {"bias", "fc_bias"}, {"output", "out"}});
    model_.expose_keys({"out"});
    return std::move(model_);
  }

 private:
  struct Convolution {
    int64_t filters, size = 3, stride = 1;
  };

  std::string add_block(const std::string& from, const std::string& prefix, int64_t width,
                        int64_t stride) {
    const int64_t channels = bottlenecks_ ? 4 * width : width;
    const auto layer = [&](const std::string& at, const char* number, Convolution convolution) {
      return normed(at, prefix + "c" + number, prefix + "b" + number, convolution);
    };
    std::string at = from;
    if (bottlenecks_) {
      at = positive(layer(at, "1", {.filters = width, .size = 1}));
      at = positive(layer(at, "2", {.filters = width, .stride = stride}));
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
  const bool bottlenecks_;
  int64_t channels_ = 64;
};

}  // namespace

Model residual_network(const ResidualNetwork& network) {
  return Writer(network.bottlenecks).write(network.blocks);
}

}  // namespace mithril::bench
