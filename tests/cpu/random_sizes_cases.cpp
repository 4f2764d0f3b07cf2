#include "tests/cpu/random_sizes.hpp"

#include <algorithm>

#include "mithril/op/registry.hpp"

namespace mithril::tests {
namespace {

constexpr int64_t most_multiplications = 200'000;  // of the reference

DType drawn_dtype(Draw& draw) {
  const int64_t i = draw.between(0, 9);
  return i < 7    ? DType::float32
         : i == 7 ? DType::float64
                  : draw.of({DType::float16, DType::bfloat16});
}

// Half precision rounds between two nodes, but not within a fused loop.
double allowed_between(DType dtype) {
  return dtype == DType::bfloat16 ? 1.0 / 64 : dtype == DType::float16 ? 1.0 / 512 : 0;
}

struct WindowSide {
  int64_t input, kernel, stride, dilation, before, after;

  int64_t made() const {
    return (input + before + after - dilation * (kernel - 1) - 1) / stride + 1;
  }
  bool fits() const { return input + before + after >= dilation * (kernel - 1) + 1; }
};

WindowSide drawn_side(Draw& draw, int64_t input) {
  WindowSide side{};
  do {
    side = {.input = input,
            .kernel = draw.of<int64_t>({1, 1, 1, 2, 3, 3, 4, 5, 7}),
            .stride = draw.of<int64_t>({1, 1, 1, 2, 3}),
            .dilation = draw.of<int64_t>({1, 1, 1, 2, 3}),
            .before = draw.of<int64_t>({0, 0, 1, 1, 2}),
            .after = draw.of<int64_t>({0, 0, 1, 1, 2})};
  } while (!side.fits());
  return side;
}

// One row, one column, a long axis beside a short one, or both of some size.
std::pair<int64_t, int64_t> drawn_plane(Draw& draw) {
  const int64_t size = draw.size();
  switch (draw.between(0, 4)) {
    case 0:
      return {1, size};
    case 1:
      return {size, 1};
    case 2:
      return {draw.between(2, 4), size};
    case 3:
      return {size, draw.between(2, 4)};
    default:
      return {draw.between(3, 18), draw.between(3, 18)};
  }
}

std::vector<Argument> window_arguments(const WindowSide& down, const WindowSide& across) {
  return {Datum::ints({down.stride, across.stride}),
          Datum(Tuple{Datum::ints({down.before, down.after}),
                      Datum::ints({across.before, across.after})}),
          Datum::ints({down.dilation, across.dilation})};
}

std::vector<Argument> joined(std::vector<Argument> first, const std::vector<Argument>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

// Adds an op that becomes the epilogue of a GEMM or convolution.
ValueId followed(Draw& draw, RandomCase& made, ValueId y, const Dims& dims, DType dtype) {
  if (draw.chance(0.5)) return y;
  made.allowed = std::max(made.allowed, allowed_between(dtype));
  if (draw.chance(0.5)) {
    y = made.node("sum", "add", {y, made.input("residual", draw.integers(dims, dtype))});
  }
  if (draw.chance(0.5)) return made.node("positive", "relu", {y});
  const Argument none = Datum(), low = Datum(-3.0), high = Datum(6.0);
  return made.node("limited", "clamp",
                   {y, draw.chance(0.3) ? none : low, draw.chance(0.3) ? none : high});
}

}  // namespace

int64_t Draw::size() {
  const int64_t lanes = of<int64_t>({4, 8, 16});
  return of<int64_t>({1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes - 1, 2 * lanes, 2 * lanes + 1,
                      4 * lanes + 1});
}

Tensor Draw::integers(const Dims& dims, DType dtype) {
  Tensor tensor(DType::float64, dims);
  for (double& element : tensor.mutable_values<double>()) {
    element = static_cast<double>(between(-4, 4));
  }
  return tensor.to(dtype);
}

Tensor Draw::normal(const Dims& dims, DType dtype) {
  Tensor tensor(DType::float64, dims);
  for (double& element : tensor.mutable_values<double>()) {
    element = std::normal_distribution<double>()(random_);
  }
  return tensor.to(dtype);
}

ValueId RandomCase::input(const std::string& name, const Tensor& tensor) {
  inputs.push_back(tensor);
  std::vector<Dim> dims;
  for (const int64_t size : tensor.dims()) dims.emplace_back(size);
  return graph.add_input({.name = name, .dims = dims, .dtype = tensor.dtype()});
}

ValueId RandomCase::constant(const std::string& name, const Tensor& tensor) {
  return graph.add_constant(name, tensor);
}

ValueId RandomCase::node(const std::string& name, const char* op, std::vector<Argument> arguments) {
  return graph.add(find_op(op), std::move(arguments), name).front();
}

ValueId RandomCase::output(const std::string& name, const char* op,
                           std::vector<Argument> arguments) {
  const ValueId made = node(name, op, std::move(arguments));
  graph.add_output(name, made);
  return made;
}

RandomCase random_convolution(Draw& draw) {
  while (true) {
    const auto [height, width] = drawn_plane(draw);
    const WindowSide down = drawn_side(draw, height), across = drawn_side(draw, width);
    const bool depthwise = draw.chance(0.2);
    const int64_t groups = depthwise ? draw.channels() : draw.of<int64_t>({1, 1, 1, 2, 3});
    const int64_t inputs = depthwise ? 1 : draw.channels();
    const int64_t outputs = depthwise ? draw.between(1, 2) : draw.channels();
    const int64_t images = draw.of<int64_t>({1, 1, 2, 3});
    const int64_t places = down.made() * across.made(), taps = down.kernel * across.kernel;
    if (images * groups * outputs * inputs * places * taps > most_multiplications) continue;
    const DType dtype = drawn_dtype(draw);
    const Dims made_dims{images, groups * outputs, down.made(), across.made()};
    RandomCase made;
    const ValueId x =
        made.input("x", draw.integers({images, groups * inputs, height, width}, dtype));
    const Tensor weight =
        draw.integers({groups * outputs, inputs, down.kernel, across.kernel}, dtype);
    const bool bound = draw.chance(0.5);
    const ValueId w = bound ? made.constant("w", weight) : made.input("w", weight);
    Argument bias = Datum();
    if (draw.chance(0.5)) bias = made.input("b", draw.integers({groups * outputs}, dtype));
    const auto windows = joined(window_arguments(down, across), {Datum(groups)});
    const ValueId y = made.node("y", "conv2d", joined({x, w, bias}, windows));
    // Winograd's algorithm is not exact.
    if (bound && dtype == DType::float32 && down.kernel == 3 && across.kernel == 3) {
      made.allowed = 1e-5;
    }
    const ValueId end = followed(draw, made, y, made_dims, dtype);
    made.graph.add_output("y", end);
    const ValueId g = made.input("g", draw.integers(made_dims, dtype));
    made.output("dx", "conv2d_input_grad", joined({g, x, w}, windows));
    made.output("dw", "conv2d_weight_grad", joined({g, x, w}, windows));
    // Uses blocked layouts if both support them.
    if (bound && allowed_between(dtype) == 0 && draw.chance(0.4)) {
      const int64_t more = draw.of<int64_t>({16, 17, 32, 48});
      const Tensor next = draw.integers({more, groups * outputs, 1, 1}, dtype);
      made.allowed = std::max(made.allowed, 1e-5);
      made.output("z", "conv2d",
                  {end, made.constant("v", next), Datum(), Datum(1), Datum(0), Datum(1), Datum(1)});
    }
    return made;
  }
}

RandomCase random_pool(Draw& draw) {
  const auto [height, width] = drawn_plane(draw);
  const auto padded_by_half = [&](int64_t size) {
    WindowSide side = drawn_side(draw, size);
    while (side.before > side.kernel / 2 || side.after > side.kernel / 2 || !side.fits()) {
      side = drawn_side(draw, size);
    }
    return side;
  };
  const WindowSide down = padded_by_half(height), across = padded_by_half(width);
  const DType dtype = drawn_dtype(draw);
  const int64_t images = draw.between(1, 2), channels = draw.channels();
  RandomCase made{.allowed = dtype == DType::float32   ? 1e-6
                             : dtype == DType::float64 ? 1e-14
                                                       : allowed_between(dtype)};
  const ValueId x = made.input("x", draw.integers({images, channels, height, width}, dtype));
  const ValueId g =
      made.input("g", draw.integers({images, channels, down.made(), across.made()}, dtype));
  const auto windows =
      joined({Datum::ints({down.kernel, across.kernel})}, window_arguments(down, across));
  const auto largest = made.graph.add(find_op("max_pool2d"), joined({x}, windows), "m");
  made.graph.add_output("m", largest[0]);
  if (draw.chance(0.5)) made.graph.add_output("p", largest[1]);
  made.output("mg", "max_pool2d_grad",
              joined({g, x}, joined(windows, {draw.chance(0.5) ? Argument(largest[1])
                                                               : Argument(Datum())})));
  made.output("a", "avg_pool2d", joined({x}, windows));
  made.output("ag", "avg_pool2d_grad", joined({g, x}, windows));
  return made;
}

RandomCase random_product(Draw& draw) {
  while (true) {
    const int64_t rows = draw.size(), columns = draw.size();
    const int64_t depth =
        draw.chance(0.15) ? draw.of<int64_t>({511, 513, 1023, 1025, 2049, 4097}) : draw.size();
    const Dims lead = draw.of<Dims>({{}, {}, {2}, {3, 1}}),
               right_lead = draw.of<Dims>({{}, {}, {2}, {1}});
    if (6 * rows * columns * depth > 4 * most_multiplications) continue;
    const DType dtype = drawn_dtype(draw);
    RandomCase made;
    const auto dims = [](Dims before, int64_t height, int64_t width, bool turned) {
      before.insert(before.end(), {turned ? width : height, turned ? height : width});
      return before;
    };
    const auto turned_back = [&](ValueId id, bool turned, const char* name) {
      return turned ? made.node(name, "swapaxes", {id, Datum(-1), Datum(-2)}) : id;
    };
    const bool left_turned = draw.chance(0.3), right_turned = draw.chance(0.4);
    const ValueId left =
        made.input("left", draw.integers(dims(lead, rows, depth, left_turned), dtype));
    const Tensor tensor = draw.integers(dims(right_lead, depth, columns, right_turned), dtype);
    const bool bound = draw.chance(0.4);
    const ValueId right = bound ? made.constant("right", tensor) : made.input("right", tensor);
    ValueId y{};
    const bool of_layer = right_lead.empty() && right_turned;
    if (of_layer) {
      Argument bias = Datum();
      if (draw.chance(0.6)) bias = made.input("b", draw.integers({columns}, dtype));
      y = made.node("y", "linear", {turned_back(left, left_turned, "l"), right, bias});
    } else {
      y = made.node("y", "matmul",
                    {turned_back(left, left_turned, "l"), turned_back(right, right_turned, "r")});
    }
    Dims made_dims;
    for (const Dim& dim : made.graph.value(y).dims) made_dims.push_back(dim.constant());
    made.graph.add_output("y", followed(draw, made, y, made_dims, dtype));
    // Both gradients are products.
    const ValueId g = made.input("g", draw.integers(made_dims, dtype));
    const ValueId r = of_layer ? right : turned_back(right, !right_turned, "rt");
    made.output("dl", "matmul", {g, r});
    const ValueId l = turned_back(left, !left_turned, "lt");
    made.output("dr", "matmul", {l, g});
    return made;
  }
}

RandomCase random_rows(Draw& draw) {
  const DType dtype = draw.chance(0.8) ? DType::float32 : DType::float64;
  RandomCase made{.allowed = dtype == DType::float32 ? 2e-5 : 1e-12};
  const int64_t rows = draw.size(), width = draw.size(), planes = draw.between(1, 3);
  const Dims dims{planes, rows, width};
  const ValueId x = made.input("x", draw.normal(dims, dtype));
  const ValueId g = made.input("g", draw.normal(dims, dtype));
  const Datum axis(draw.between(-3, 2));
  switch (draw.between(0, 6)) {
    case 0: {
      const ValueId y = made.output("y", "softmax", {x, axis});
      made.output("dx", "softmax_grad", {g, y, axis});
      break;
    }
    case 1: {
      const ValueId y = made.output("y", "log_softmax", {x, axis});
      made.output("dx", "log_softmax_grad", {g, y, axis});
      break;
    }
    case 2: {
      const ValueId w = made.input("w", draw.normal({width}, dtype));
      const ValueId b = made.input("b", draw.normal({width}, dtype));
      // The variance of two or three elements may be tiny, and the gradient is then the difference
      // of large numbers (docs/differences-from-pytorch.md): a large eps keeps it well conditioned.
      const double eps = width <= 3 ? 1e-1 : draw.of({1e-5, 1e-1});
      const auto y = made.graph.add(find_op("layer_norm"), {x, w, b, Datum(eps)}, "y");
      made.graph.add_output("y", y[0]);
      const auto grads = made.graph.add(find_op("layer_norm_grad"), {g, x, y[1], y[2], w}, "dx");
      for (size_t i = 0; i < grads.size(); ++i) {
        made.graph.add_output(made.graph.value(grads[i]).name, grads[i]);
      }
      break;
    }
    case 3:
      for (const char* op : {"sum", "mean", "max", "min"}) {
        made.output(op, op, {x, draw.chance(0.2) ? Datum() : axis, Datum(draw.chance(0.5))});
      }
      break;
    case 4: {
      const ValueId turned = made.output("t", "swapaxes", {x, axis, Datum(draw.between(-3, 2))});
      made.output("e", "exp", {turned});
      const ValueId b = made.input("b", draw.normal({rows, 1}, dtype));
      made.output("p", "multiply", {made.node("s", "add", {x, b}), g});
      break;
    }
    case 5: {
      const Datum reverse(draw.chance(0.5)), exclusive(draw.chance(0.5));
      made.output("scan", "linear_scan", {x, g, axis, reverse, exclusive});
      made.output("sum", "cumsum", {x, axis, reverse});
      made.output("product", "cumprod", {x, axis, reverse, exclusive});
      made.output("order", "argsort", {x, axis, reverse, Datum()});
      break;
    }
    default: {
      const int64_t keys = draw.size(), values = draw.size();
      const ValueId k = made.input("k", draw.normal({planes, keys, width}, dtype));
      const ValueId v = made.input("v", draw.normal({planes, keys, values}, dtype));
      Argument mask = Datum();
      const bool causal = draw.chance(0.3);
      if (!causal && draw.chance(0.5)) mask = made.input("mask", draw.normal({rows, keys}, dtype));
      made.output("y", "scaled_dot_product", {x, k, v, mask, Datum(causal)});
      break;
    }
  }
  return made;
}

}  // namespace mithril::tests
