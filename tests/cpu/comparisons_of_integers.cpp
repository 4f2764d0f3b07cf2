// Comparisons of integers in elementwise programs have the bits of the reference.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/settings.hpp"

namespace mithril::tests {
namespace {

// Numbers at the limits of every integer dtype, which wrap in smaller ones.
Tensor integers(DType dtype, int64_t count, size_t first) {
  const std::vector<int64_t> some{0,
                                  1,
                                  -1,
                                  127,
                                  -128,
                                  255,
                                  32767,
                                  -32768,
                                  65535,
                                  16777217,
                                  16777216,
                                  2147483647,
                                  -2147483647 - 1,
                                  4294967295,
                                  std::numeric_limits<int64_t>::max(),
                                  std::numeric_limits<int64_t>::max() - 1};
  std::vector<int64_t> made;
  for (int64_t i = 0; i < count; ++i)
    made.push_back(some[(static_cast<size_t>(i) + first) % some.size()]);
  return Tensor::of({count}, made).to(dtype);
}

std::string first_wrong(DType left, DType right, int64_t count) {
  Graph graph;
  const ValueId a = graph.add_input({"a", {Dim(count), Dim(1)}, true, left});
  const ValueId b = graph.add_input({"b", {Dim(count)}, true, right});
  const auto add = [&](const char* op, std::vector<Argument> arguments, const std::string& name) {
    const ValueId made = graph.add(find_op(op), std::move(arguments), name).front();
    graph.add_output(name, made);
    return made;
  };
  for (const char* op : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}) {
    const ValueId made = add(op, {a, b}, op);
    add("cast", {made, Datum(DType::float32)}, std::string(op) + "_number");
  }
  const std::vector<Tensor> inputs{integers(left, count, 0).reshape({count, 1}),
                                   integers(right, count, 1)};
  const std::vector<Tensor> expected = interpret(graph, inputs);
  for (const CpuSetting& setting : cpu_settings()) {
    const InstructionsLimit limit(setting.instructions);
    const std::vector<Tensor> got = load_with(setting, graph)->run(inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto bytes_of = [](const Tensor& tensor) {
        return std::string_view(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
      };
      if (bytes_of(got[i]) != bytes_of(expected[i]))
        return graph.outputs()[i].name + ", " + description(setting);
    }
  }
  return {};
}

}  // namespace

TEST_CASE("comparisons of integers equal the reference, alone and fused") {
  const std::vector<DType> dtypes = {DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                                     DType::int32, DType::uint32, DType::int64};
  for (const DType left : dtypes) {
    for (const DType right : {left, DType::int32}) {
      for (const int64_t count : {1, 7, 33}) {
        CAPTURE(name(left));
        CAPTURE(name(right));
        CAPTURE(count);
        CHECK(first_wrong(left, right, count).empty());
      }
    }
  }
}

}  // namespace mithril::tests
