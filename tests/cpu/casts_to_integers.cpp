// Casts of floats to integers in elementwise programs have the bits of the reference.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

// Numbers at the limits of every integer dtype, and others.
Tensor limits_of_integers(DType dtype, int64_t count) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> some{
      0.0,           -0.0,         0.3,          -0.3,         0.5,    -0.99,        1.0,
      -1.0,          std::nan(""), 127.0,        127.9,        128.0,  -128.9,       -129.0,
      255.9,         256.0,        infinity,     -infinity,    32767., 32768.0,      -32769.,
      65535.5,       65536.0,      -32768.5,     1e300,        -1e300, 2147483520.0, 2147483648.0,
      -2147483648.0, 4294967040.0, 4294967296.0, -2147483904.0};
  std::vector<double> made;
  for (int64_t i = 0; i < count; ++i) made.push_back(some[static_cast<size_t>(i) % some.size()]);
  return Tensor::of({count}, made).to(dtype);
}

std::string first_wrong_cast(DType from, DType to, int64_t count) {
  Graph graph;
  const auto add = [&](const char* op, std::vector<Argument> arguments, const char* name) {
    const ValueId made = graph.add(find_op(op), std::move(arguments), name).front();
    graph.add_output(name, made);
    return made;
  };
  const ValueId x = graph.add_input({"x", {Dim(count)}, true, from});
  const ValueId twice = add("multiply", {x, Datum(1.0)}, "same");
  const ValueId integer = add("cast", {twice, Datum(to)}, "integer");
  const ValueId back = add("cast", {integer, Datum(from)}, "back");
  add("divide", {Datum(1.0), back}, "reciprocal");  // of 0 and -0 differ
  const std::vector<Tensor> inputs{limits_of_integers(from, count)},
      expected = interpret(graph, inputs);
  for (const CpuSetting& setting : cpu_settings()) {
    const InstructionsLimit limit(setting.instructions);
    const std::vector<Tensor> got = load_with(setting, graph)->run(inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto bytes_of = [](const Tensor& tensor) {
        return std::string_view(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
      };
      const bool is_equal =
          got[i].dtype() == expected[i].dtype() && bytes_of(got[i]) == bytes_of(expected[i]);
      if (!is_equal) return graph.outputs()[i].name + ", " + description(setting);
    }
  }
  return {};
}

}  // namespace

TEST_CASE("casts of floats to integers equal the reference, alone and fused") {
  for (const DType from : {DType::float32, DType::float64, DType::float16}) {
    for (const DType to : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32,
                           DType::uint32, DType::int64}) {
      for (const int64_t count : {0, 1, 7, 8, 33, 515, 1100}) {
        CAPTURE(name(from));
        CAPTURE(name(to));
        CAPTURE(count);
        CHECK(first_wrong_cast(from, to, count) == "");
      }
    }
  }
}

}  // namespace mithril::tests
