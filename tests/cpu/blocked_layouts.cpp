// Random networks of convolutions and other ops: with and without blocked layouts, all settings
// match the reference.
#include "backends/cpu/layout/assign_layouts.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"
#include "backends/cpu/rewrite/legalize_half.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/convolution_sample.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

class ConvolutionNetwork {
 public:
  ConvolutionNetwork(std::uint64_t seed, DType dtype) : random_(seed), dtype_(dtype) {
    const int64_t sizes[] = {1, 5, 7, 9, 14, 18, 30};
    const Dims dims{one_of<int64_t>({1, 1, 2}), one_of<int64_t>({1, 3, 15, 16, 17, 32, 33}),
                    sizes[below(7)], sizes[below(7)]};
    values_.push_back(graph_.add_input({.name = "x", .dims = dims_of(dims), .dtype = dtype}));
    input_ = random(dims, seed).to(dtype);
    graph_.set_default_dtype(dtype);
    for (int i = 0; i < 10; ++i) grow();
    graph_.add_output("last", values_.back());
    if (below(3) == 0) graph_.add_output("y", values_[below(values_.size())]);
    graph_.drop_unread();
  }

  const Graph& graph() const { return graph_; }
  const Tensor& input() const { return input_; }

 private:
  size_t below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }
  template <typename T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(all.size())];
  }

  static std::vector<Dim> dims_of(const Dims& dims) { return {dims.begin(), dims.end()}; }
  Dims sizes(ValueId id) const {
    Dims all;
    for (const Dim& dim : graph_.value(id).dims) all.push_back(dim.constant());
    return all;
  }
  std::string name() { return fmt::format("v{}", names_++); }
  ValueId add(const char* op, std::vector<Argument> arguments) {
    return graph_.add(find_op(op), std::move(arguments), name()).front();
  }
  ValueId constant(const Dims& dims, double scale = 1) {
    Tensor made = random(dims, random_());
    for (float& x : made.mutable_values<float>()) x = static_cast<float>(x * scale);
    return graph_.add_constant(name(), made.to(dtype_));
  }

  // Adds mostly convolutions, mostly of recent values.
  void grow() {
    const ValueId x = below(4) == 0 ? values_[below(values_.size())] : values_.back();
    switch (below(32)) {
      case 0:
        return keep(add("multiply", {constant({sizes(x)[2], 1}), x}));
      case 1:
        return keep(add("multiply", {x, constant({sizes(x)[1], sizes(x)[2], 1})}));
      case 2:
        return join(x);
      case 3:
        return keep(add("swapaxes", {x, Datum(2), Datum(3)}));
      case 4:
      case 5:
        return keep(add("relu", {x}));
      case 6:
        return keep(add("sigmoid", {x}));
      case 7:
      case 8:
      case 9:
        return add_to(x);
      case 10:
        return keep(add("multiply", {x, constant({sizes(x)[1], 1, 1})}));
      case 11:
        return scale(x);
      case 12:
      case 13:
        return pool(x);
      case 14:
      case 15:
        return excite(x);
      case 16:
        return keep(add("where", {add("greater", {x, Datum(0.1)}), x, Datum(-0.5)}));
      default:
        return convolve(x);
    }
  }

  void keep(ValueId id) { values_.push_back(id); }

  void convolve(ValueId x) {
    const Dims dims = sizes(x);
    const int64_t groups = below(3) == 0 ? groups_of(dims[1]) : 1;
    const int64_t outputs = groups > 1
                                ? dims[1] * one_of<int64_t>({1, 1, 1, 2})
                                : one_of<int64_t>({16, 32, 32, 64, 96, 40, 3, 15, 17, 31, 33, 24});
    if (outputs > 200) return;
    const int64_t kernel = one_of<int64_t>({1, 1, 3, 3, 3, 5, 7, 2});
    const int64_t dilation = one_of<int64_t>({1, 1, 1, 2});
    const int64_t before = below(3) == 0 ? 0 : dilation * (kernel - 1) / 2;
    const int64_t stride = one_of<int64_t>({1, 1, 1, 1, 2, 2, 3});
    const int64_t reach = dilation * (kernel - 1) + 1;
    if (std::min(dims[2], dims[3]) + 2 * before < reach) return;
    const Dims weight{outputs, dims[1] / groups, kernel, kernel};
    const double scale = 1 / std::sqrt(static_cast<double>(dims[1] / groups * kernel * kernel));
    const Argument bias = below(2) == 0 ? Argument(Datum()) : Argument(constant({outputs}));
    keep(add("conv2d", {x, constant(weight, scale), bias, Datum(stride), Datum(before),
                        Datum(dilation), Datum(groups)}));
  }

  // A number of groups that divides the channels, often all of them.
  int64_t groups_of(int64_t channels) {
    const int64_t channels_of_group = one_of<int64_t>({1, 1, 1, 2, 3, 4, 8, 16});
    return channels % channels_of_group == 0 ? channels / channels_of_group : channels;
  }

  // Multiplies or divides x by values that a step computes per channel. A division by a channel
  // makes 0 / 0 in lanes without a channel.
  void scale(ValueId x) {
    const int64_t channels = sizes(x)[1];
    if (below(2) == 0) {
      const ValueId each = add("exp", {constant({channels})});
      return keep(add("multiply", {x, add("expand_dims", {each, Datum::ints({1, 2})})}));
    }
    const ValueId divisor = add("add", {add("abs", {constant({channels, 1, 1})}), Datum(1.0)});
    keep(add("divide", {x, divisor}));
  }

  void add_to(ValueId x) {
    std::vector<ValueId> equal;
    for (const ValueId id : values_) {
      if (sizes(id) == sizes(x)) equal.push_back(id);
    }
    keep(add("add", {x, equal[below(equal.size())]}));
  }

  void pool(ValueId x) {
    const Dims dims = sizes(x);
    const int64_t kernel = one_of<int64_t>({2, 3}), dilation = one_of<int64_t>({1, 1, 2});
    if (std::min(dims[2], dims[3]) < dilation * (kernel - 1) + 1) return;
    keep(add(one_of({"max_pool2d", "avg_pool2d"}),
             {x, Datum(kernel), Datum(one_of<int64_t>({1, 2, 3})), Datum(one_of<int64_t>({0, 1})),
              Datum(dilation)}));
  }

  // Scales each channel by a function of its mean.
  void excite(ValueId x) {
    // Sums of many rounded elements would differ too much.
    const char* way = one_of({"mean", dtype_ == DType::float32 ? "sum" : "mean", "max", "min"});
    const ValueId each = add(way, {x, Datum::ints({2, 3}), Datum(true)});
    keep(add("multiply", {x, add("sigmoid", {each})}));
  }

  void join(ValueId x) {
    if (sizes(x)[1] > 64) return;
    keep(graph_.add(find_op("concat"), {x, x, Datum(1)}, name()).front());
  }

  std::mt19937_64 random_;
  DType dtype_;
  Graph graph_;
  Tensor input_;
  std::vector<ValueId> values_;
  int names_ = 0;
};

std::vector<bool> chosen(const Graph& graph, const std::vector<Tensor>& inputs) {
  const SizeSources sizes(graph);
  const Plan plan = make_plan(graph, sizes, inputs);
  cpu_backend::ShapedGraph shaped(graph, plan);
  const cpu_backend::Config config;
  cpu_backend::PackedWeights packed(graph);
  const std::vector<bool> observed;
  const std::vector<int> use_counts = cpu_backend::count_uses(shaped, observed);
  shaped.set_layouts(cpu_backend::assign_layouts({.shaped = shaped,
                                                  .config = config,
                                                  .packed = packed,
                                                  .use_counts = use_counts,
                                                  .observed = observed}));
  std::vector<bool> blocked;
  for (size_t i = 0; i < graph.values().size(); ++i) {
    blocked.push_back(shaped.is_in_blocks(static_cast<ValueId>(i)));
  }
  return blocked;
}

// Returns an empty text if each element, and ||got - expected|| / ||expected||, is within the
// tolerance.
std::string difference_in_norm(const Tensor& got, const Tensor& expected, double allowed) {
  const std::string wrong = difference(got, expected, allowed);
  if (wrong.empty() || got.dims() != expected.dims()) return wrong;
  const Tensor floats = got.to(DType::float32), doubles = expected.to(DType::float64);
  const auto from = floats.values<float>();
  const auto to = doubles.values<double>();
  const double error = relative_error({from.begin(), from.end()}, {to.begin(), to.end()});
  return error < allowed ? "" : wrong;
}

void check_networks(DType dtype, std::uint64_t count, double allowed) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    const ConvolutionNetwork network(seed, dtype);
    CAPTURE(to_string(network.graph()));
    const std::vector<Tensor> inputs{network.input()};
    const std::vector<Tensor> expected = interpret(network.graph(), inputs);
    for (const CpuSetting& setting : cpu_settings()) {
      CAPTURE(description(setting));
      if (setting.native && seed > 2) continue;
      const InstructionsLimit limit(setting.instructions);
      const std::vector<Tensor> got = load_with(setting, network.graph())->run(inputs);
      for (size_t i = 0; i < got.size(); ++i)
        CHECK(difference_in_norm(got[i], expected[i], allowed) == "");
    }
    const auto made = [&](int threads) {
      return cpu({.threads = threads})->load(network.graph(), {})->run(inputs).front();
    };
    const Tensor alone = made(1);
    for (const int threads : {2, 3}) CHECK(identical(made(threads), alone));
  }
}

size_t networks_in_blocks(DType dtype, std::uint64_t count) {
  size_t found = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const ConvolutionNetwork network(seed, dtype);
    const Graph graph = cpu_backend::legalize_half(network.graph(), {});
    const std::vector<bool> blocks = chosen(graph, {network.input()});
    found += std::find(blocks.begin(), blocks.end(), true) != blocks.end();
  }
  return found;
}

std::vector<std::string> names_in_blocks(const std::string& text,
                                         const std::vector<Tensor>& inputs) {
  const Graph graph = parse_graph(text);
  const std::vector<bool> blocks = chosen(graph, inputs);
  std::vector<std::string> names;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i]) names.push_back(graph.values()[i].name);
  }
  return names;
}

std::string weight(const std::string& name, const Dims& dims) {
  std::vector<double> numbers(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * 37 % 101) / 99;
  return fmt::format("  constant {}: float32[{}] = {{{}}}\n", name, fmt::join(dims, ", "),
                     fmt::join(numbers, ", "));
}

std::string conv(const std::string& to, const std::string& from, const std::string& by,
                 int padding) {
  return fmt::format(
      "  {}: float32[1, 32, 6, 6] = conv2d(input: {}, weight: {}, bias: None, stride: 1, padding: "
      "{}, dilation: 1, groups: 1)\n",
      to, from, by, padding);
}

}  // namespace

TEST_CASE("random convolution networks match the reference") {
  const std::uint64_t count = sampled(80, 240);
  check_networks(DType::float32, count, 1e-5);
  if (cpu_backend::nchwc_kernels().nr > 0)
    CHECK(networks_in_blocks(DType::float32, count) > count / 3);
}

TEST_CASE("random bfloat16 networks match the reference") {
  check_networks(DType::bfloat16, 80, 0.05);
  const auto* pairs = cpu_backend::bfloat16_kernels();
  if (pairs && pairs->blocks.nr > 0) CHECK(networks_in_blocks(DType::bfloat16, 80) > 8);
}

TEST_CASE("values between convolutions have the blocked layout") {
  if (cpu_backend::nchwc_kernels().nr == 0) {
    skip("the processor has no NCHWc kernels");
    return;
  }
  const std::string begin =
      "graph {\n  input x: float32[1, 3, 6, 6]\n" + weight("w", {32, 3, 3, 3}) +
      weight("v", {32, 32, 1, 1}) + weight("c", {32, 1, 1}) + conv("a", "x", "w", 1) +
      "  b: float32[1, 32, 6, 6] = multiply(left: a, right: c)\n" + conv("d", "b", "v", 0);
  const std::vector<Tensor> x{random({1, 3, 6, 6}, 1)};
  using Names = std::vector<std::string>;
  CHECK(names_in_blocks(begin + "  output d = d\n}\n", x) == Names{"a", "b"});
  // Inputs and outputs of the graph are not blocked.
  CHECK(names_in_blocks(begin + "  output b = b\n  output d = d\n}\n", x).empty());
  // Means over the plane, and views of values with one position.
  CHECK(names_in_blocks(begin +
                            "  m: float32[1, 32] = mean(input: d, axis: (2, 3), keepdim: False)\n"
                            "  output m = m\n}\n",
                        x) == Names{"a", "b", "d"});
  // There is no kernel for integers.
  const std::string sums = begin +
                           "  i: int32[1, 32, 6, 6] = cast(input: a, dtype: int32)\n"
                           "  n: int32[1, 32] = sum(input: i, axis: (2, 3), keepdim: False)\n"
                           "  output n = n\n  output d = d\n}\n";
  CHECK(names_in_blocks(sums, x).empty());
  CHECK(differing_output(sums, x, 2) == "");
  // A clamp is elementwise with any limits.
  for (const char* limits : {"min_val: 0.0, max_val: 6.0", "min_val: None, max_val: 6",
                             "min_val: 0, max_val: None", "min_val: None, max_val: None"}) {
    const std::string clamped = begin + "  e: float32[1, 32, 6, 6] = clamp(input: d, " + limits +
                                ")\n" + conv("f", "e", "v", 0) + "  output f = f\n}\n";
    CHECK(names_in_blocks(clamped, x) == Names{"a", "b", "d", "e"});
    CHECK(differing_output(clamped, x, 2) == "");
  }
  // Ops that move elements read them in NCHW order.
  CHECK(names_in_blocks(begin +
                            "  s: float32[1, 32, 6, 6] = swapaxes(input: a, axis1: 2, axis2: 3)\n"
                            "  output s = s\n  output d = d\n}\n",
                        x)
            .empty());
}

}  // namespace mithril::tests
