#include "mithril/models/pooling.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/models/padding.hpp"

namespace mithril {
namespace {

Model pool(const std::string& name, const char* op, const CheckedArguments& arguments,
           size_t axes) {
  Model model = model_of_class(name);
  Bindings bindings{{"input", "input"}, {"output", "output"}};
  bindings.emplace_back("padding", padding_binding(arguments, axes));
  for (const char* port : {"kernel_size", "stride", "dilation"}) {
    bindings.emplace_back(port, IOKey{.name = port, .value = arguments[port]});
  }
  model |= Model::op(op)(bindings);
  return model;
}

std::vector<ArgumentDef> pool_arguments() {
  return {{"kernel_size", "int|tuple", {}, "size of the window"},
          {"stride", "int|tuple|none", Datum(), "None: the size of the window"},
          padding_argument("elements added on each side"),
          {"dilation", "int|tuple", 1, "distance between the elements of a window"}};
}

std::vector<DocumentedPort> pool_ports(const char* input, const char* output) {
  return {{"input", input}, {"kernel_size"}, {"stride"},
          {"padding"},      {"dilation"},    {"output", output}};
}

Arguments given(const PoolOptions& options) {
  return {{"kernel_size", options.kernel_size},
          {"stride", options.stride},
          {"padding", options.padding},
          {"dilation", options.dilation}};
}

}  // namespace

Model MaxPool1D(const PoolOptions& options) { return make_model("MaxPool1D", given(options)); }
Model MaxPool2D(const PoolOptions& options) { return make_model("MaxPool2D", given(options)); }
Model AvgPool1D(const PoolOptions& options) { return make_model("AvgPool1D", given(options)); }
Model AvgPool2D(const PoolOptions& options) { return make_model("AvgPool2D", given(options)); }

ModelDef define_max_pool1d_model();
ModelDef define_max_pool1d_model() {
  return {.name = "MaxPool1D",
          .doc = "The largest element of each window over the last axis.",
          .ports = pool_ports("[..., L]", "[..., Lo]"),
          .arguments = pool_arguments(),
          .build = [](const CheckedArguments& a) { return pool("MaxPool1D", "max_pool1d", a, 1); }};
}

ModelDef define_max_pool2d_model();
ModelDef define_max_pool2d_model() {
  return {.name = "MaxPool2D",
          .doc = "The largest element of each window over the last two axes.",
          .ports = pool_ports("[..., H, W]", "[..., Ho, Wo]"),
          .arguments = pool_arguments(),
          .build = [](const CheckedArguments& a) { return pool("MaxPool2D", "max_pool2d", a, 2); }};
}

ModelDef define_avg_pool1d_model();
ModelDef define_avg_pool1d_model() {
  return {.name = "AvgPool1D",
          .doc = "The mean of each window over the last axis.",
          .ports = pool_ports("[..., L]", "[..., Lo]"),
          .arguments = pool_arguments(),
          .build = [](const CheckedArguments& a) { return pool("AvgPool1D", "avg_pool1d", a, 1); }};
}

ModelDef define_avg_pool2d_model();
ModelDef define_avg_pool2d_model() {
  return {.name = "AvgPool2D",
          .doc = "The mean of each window over the last two axes.",
          .ports = pool_ports("[..., H, W]", "[..., Ho, Wo]"),
          .arguments = pool_arguments(),
          .build = [](const CheckedArguments& a) { return pool("AvgPool2D", "avg_pool2d", a, 2); }};
}

}  // namespace mithril
