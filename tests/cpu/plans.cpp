// Guarantees of plans besides the right results.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

Tensor counting(Dims dims) {
  Tensor tensor(DType::float32, std::move(dims));
  float next = 0;
  for (float& element : tensor.mutable_values<float>()) element = ++next;
  return tensor;
}

// A chain of this number of arctangents, which are not fused, of values of the size of x.
CompiledModel chain(int length, ShapeSpec shape, CpuOptions options = {}) {
  Model model;
  std::string from = "x";
  for (int i = 0; i < length; ++i) {
    const std::string to = i + 1 == length ? "y" : "hidden_" + std::to_string(i);
    model |= Model::op("atan")({{"input", from}, {"output", to}});
    from = to;
  }
  model.expose_keys({"y"});
  return compile(model, cpu(options), {.shapes = {{"x", shape}}});
}

}  // namespace

TEST_CASE("the next evaluation does not change earlier results") {
  const CompiledModel model = chain(3, {any});
  const TensorMap first = model.evaluate({}, {{"x", counting({4})}});
  const Tensor kept = first.at("y").copy();
  model.evaluate({}, {{"x", Tensor::full(DType::float32, {4}, 9)}});
  CHECK(identical(first.at("y"), kept));
}

TEST_CASE("released result memory is reused without new pages") {
  const CompiledModel model = chain(3, {any});
  const TensorMap inputs{{"x", counting({1 << 20})}};
  const auto faults = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  TensorMap kept = model.evaluate({}, inputs);
  const void* memory = kept.at("y").raw_data();
  CHECK(model.evaluate({}, inputs).at("y").raw_data() != memory);
  kept = {};
  model.evaluate({}, inputs);
  const auto before = faults();
  for (int i = 0; i < 8; ++i) model.evaluate({}, inputs);
  CHECK(faults() - before < 100);  // one result has 1,024 pages
}

TEST_CASE("results outlive their model") {
  Tensor result;
  {
    const CompiledModel model = chain(1, {any});
    result = model.evaluate({}, {{"x", Tensor::full(DType::float32, {1 << 20}, 1)}}).at("y");
    model.evaluate({}, {{"x", Tensor::full(DType::float32, {1 << 19}, 0)}});
  }
  CHECK(result.values<float>().back() == std::atan(1.0F));
}

TEST_CASE("outputs share no elements with inputs, nor with each other") {
  Model model;
  model |= Model::op("reshape")({{"input", "x"}, {"shape", Datum{4}}, {"output", "a"}});
  model |= Model::op("atan")({{"input", "x"}, {"output", "b"}});
  model |= Model::op("reshape")({{"input", "b"}, {"shape", Datum{4}}, {"output", "c"}});
  model |= Model::op("reshape")({{"input", "b"}, {"shape", Datum{4}}, {"output", "d"}});
  model.expose_keys({"a", "b", "c", "d"});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {2, 2}}}});
  const Tensor x = counting({2, 2});
  const TensorMap out = compiled.evaluate({}, {{"x", x}});
  CHECK(out.at("a").raw_data() != x.raw_data());
  CHECK(out.at("b").raw_data() != out.at("c").raw_data());
  CHECK(identical(out.at("a"), x.reshape({4})));
  CHECK(identical(out.at("c"), out.at("b").reshape({4})));
  CHECK(identical(out.at("d"), out.at("c")));
}

TEST_CASE("the summary shows the bytes of a plan and of all values") {
  const std::string known = chain(10, {256}).summary();
  CHECK(known.ends_with("evaluating takes 3.0 KiB, where all values are 10.0 KiB\n"));
  const std::string open = chain(10, {any}).summary();
  CHECK(open.find("evaluating") == std::string::npos);
}

TEST_CASE("at optimization level none ops are computed one by one") {
  Model model;
  model |= Model::op("negate")({{"input", "x"}, {"output", "a"}});
  model |= Model::op("exp")({{"input", "a"}, {"output", "b"}});
  model |= Model::op("negate")({{"input", "b"}, {"output", "y"}});
  model.expose_keys({"y"});
  const auto takes = [&](const char* level) {
    const std::string summary =
        compile(model, cpu(),
                {.shapes = {{"x", {256}}}, .optimization_level = optimization_level_named(level)})
            .summary();
    return summary.substr(summary.find("evaluating takes"));
  };
  CHECK(takes("standard") == "evaluating takes 1.0 KiB, where all values are 3.0 KiB\n");
  CHECK(takes("none") == "evaluating takes 2.0 KiB, where all values are 3.0 KiB\n");
}

TEST_CASE("sizes that exceed the memory of the machine are refused before allocation") {
  const CompiledModel model = chain(3, {any, any});
  const float number = 0;
  const Tensor huge = Tensor::borrow(DType::float32, {1 << 30, 1 << 20},
                                     static_cast<const void*>(&number), nullptr);
  const std::string text = text_of_error([&] { model.evaluate({}, {{"x", huge}}); });
  CHECK(text ==
        "mithril.OutOfMemoryError[E1102]: hidden_0: there is not enough memory\n"
        "  op     : atan\n"
        "  asked  : 13510798882111488 bytes\n"
        "  in use : 0 bytes");
}

TEST_CASE("sizes whose bytes cannot be counted are refused by the path of the value") {
  Model model;
  model |= Model::op("expand_dims")({{"input", "x"}, {"axis", 1}, {"output", "column"}});
  model |= Model::op("add")({{"left", "column"}, {"right", "x"}, {"output", "table"}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {"N"}}}});
  const float number = 0;
  const Tensor huge = Tensor::borrow(DType::float32, {int64_t{1} << 40},
                                     static_cast<const void*>(&number), nullptr);
  const std::string text = text_of_error([&] { compiled.evaluate({}, {{"x", huge}}); });
  CHECK(text.starts_with("mithril.ValueError[E0481]: table: add: a tensor of dims"));
}

TEST_CASE("a memory limit applies to the values of an evaluation") {
  const CompiledModel model = chain(5, {any}, {.memory_limit = 3 * 1024});
  CHECK(model.evaluate({}, {{"x", counting({256})}}).at("y").size() == 256);
  const std::string text = text_of_error([&] { model.evaluate({}, {{"x", counting({512})}}); });
  CHECK(text ==
        "mithril.OutOfMemoryError[E1101]: hidden_0: more memory is needed than memory_limit "
        "allows\n"
        "  op     : atan\n"
        "  asked  : 6144 bytes\n"
        "  in use : 0 bytes\n"
        "  limit  : 3072 bytes");
}

TEST_CASE("the reference backend gives the same bits") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor x = counting({3, 5});
    const auto outputs = [&](bool reference) {
      const CompiledModel model = chain(3, {3, 5}, {.dtype = dtype, .reference = reference});
      return model.evaluate({}, {{"x", x}}).at("y");
    };
    CHECK(identical(outputs(false), outputs(true)));
  }
}

}  // namespace mithril
