// Errors of dtypes that ports state, and of integers that ops compute as others.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/model/model.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

Connection exact_port(const char* name, DType dtype) {
  return Connection(IOKey{.name = name, .type = dtype});
}

}  // namespace

TEST_CASE("a value of a model may be any dtype") {
  for (const DType dtype : all_dtypes) CHECK(Datum(dtype).dtype() == dtype);
}

TEST_CASE("two dtypes that are stated for one connection are refused, and nothing changes") {
  Model model = Model::create({{"y", exact_port("x", DType::uint8) + 1}});
  CHECK(text_of_error([&] {
          model.set_types({{"x", DType::int8}});
        }) ==
        "mithril.TypeError[E1360]: x: two dtypes are stated for one connection\n"
        "  one side   : uint8\n"
        "  other side : int8\n"
        "  help: cast between the two");
  model.set_types({{"x", DType::uint8}});
}

TEST_CASE("parts that state two dtypes of one connection are refused with their ports") {
  const Model inner = Model::create({{"z", exact_port("w", DType::int8) * 2}});
  Model model = Model::create({{"y", exact_port("x", DType::uint8) + 1}});
  CHECK(text_of_error([&] {
          model |= inner({{"w", "x"}, {"z", "z"}});
        }) ==
        "mithril.TypeError[E1360]: two dtypes are stated for one connection\n"
        "  one side   : uint8\n"
        "  other side : int8\n"
        "  port w     : int8 tensor\n"
        "  bound to   : uint8 tensor   on x\n"
        "  help: cast between the two");
}

TEST_CASE("uint64 is compared with no signed tensor, no negative int and no float") {
  const auto text_of_less = [](const Binding& right) {
    const Model model =
        Model::create({{"y", apply("less", {exact_port("x", DType::uint64), right})}});
    return text_of_error([&] { compile(model, cpu()); });
  };
  CHECK(text_of_less(exact_port("z", DType::int64)) ==
        "mithril.TypeError[E1361]: y: less: port 'right' takes no int64 beside uint64\n"
        "  help: cast it to int64 or to a float first, if its numbers fit");
  CHECK(text_of_less(-1) ==
        "mithril.TypeError[E1361]: y: less: port 'right' takes no -1 beside uint64\n"
        "  help: give an int that is not negative");
  CHECK(text_of_less(1.5) ==
        "mithril.TypeError[E1361]: y: less: port 'right' takes no 1.5 beside uint64\n"
        "  help: give an int that is not negative");
}

TEST_CASE("an op without a rule for uint64 is refused by its name and port") {
  const Model model =
      Model::create({{"y", apply("floor_divide", {exact_port("x", DType::uint64), 3})}});
  CHECK(text_of_error([&] { compile(model, cpu()); }) ==
        "mithril.TypeError[E1361]: y: floor_divide: port 'numerator' takes no uint64\n"
        "  help: cast it to int64 or to a float first, if its numbers fit");
}

TEST_CASE("bits become elements of as many bits") {
  const auto text_of_bits = [](DType from, DType to) {
    const Model model = Model::create({{"y", apply("bit_cast", {exact_port("x", from), to})}});
    return text_of_error([&] { compile(model, cpu()); });
  };
  CHECK(text_of_bits(DType::float32, DType::int64) ==
        "mithril.TypeError[E1369]: x: bit_cast: float32 does not become int64: they have "
        "different numbers of bits");
  CHECK(text_of_bits(DType::float16, DType::int16) ==
        "mithril.TypeError[E1369]: x: bit_cast: float16 does not become int16: the bits of "
        "float16 are not read");
  CHECK(text_of_bits(DType::uint8, DType::boolean) ==
        "mithril.TypeError[E1369]: x: bit_cast: uint8 does not become bool: a bool has one bit");
}

TEST_CASE("a tensor whose stated dtype cannot hold its numbers is refused") {
  const Tensor large = Tensor::of(std::vector<std::int64_t>{300});
  const Connection constant(IOKey{.name = "c", .tensor = large, .type = DType::uint8});
  const Model model = Model::create({{"y", apply("buffer", {constant})}});
  CHECK(text_of_error([&] { compile(model, cpu()); }) ==
        "mithril.ValueError[E1362]: c: the tensor has numbers that its dtype uint8 cannot hold\n"
        "  tensor : int64[1]\n"
        "  help: state a wider dtype");
}

TEST_CASE("a result of another dtype than stated is refused") {
  Model model = Model::create({{"y", exact_port("x", DType::int32) + 1}});
  model.set_types({{"y", DType::int64}});
  CHECK(text_of_error([&] { compile(model, cpu()); }) ==
        "mithril.TypeError[E1363]: y: 'y' is stated to be another dtype than its op makes\n"
        "  stated : int64\n"
        "  made   : int32\n"
        "  help: cast it, or state the dtypes of the inputs that it is computed from");
}

TEST_CASE("inputs and results keep a stated dtype") {
  for (const DType dtype : all_dtypes) {
    const Model model = Model::create({{"y", apply("transpose", {exact_port("x", dtype)})}});
    const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"x"}});
    const Tensor x = Tensor::of<std::int64_t>({2, 2}, {1, -2, -2, 1}).to(dtype);
    CHECK(identical(compiled.evaluate({}, {{"x", x}}).at("y"), x));
  }
}

TEST_CASE("elements of few bits are cast and moved, and other ops refuse them") {
  const Connection x = exact_port("x", DType::float8_e4m3fn);
  CHECK(text_of_error([&] {
          compile(Model::create({{"y", x + 1}}), cpu(), {.data_keys = {"x"}});
        }) ==
        "mithril.TypeError[E1365]: y: add: port 'left' takes no float8_e4m3fn\n"
        "  help: cast it to float32 first");
  const Connection n = exact_port("n", DType::int4);
  CHECK(text_of_error([&] {
          compile(Model::create({{"y", n.sum()}}), cpu(), {.data_keys = {"n"}});
        }) ==
        "mithril.TypeError[E1365]: y: sum: port 'input' takes no int4\n"
        "  help: cast it to int32 first");
}

TEST_CASE("an input of few bits is not trained, because no gradient flows to it") {
  const Connection x = exact_port("x", DType::float8_e5m2);
  const Model model = Model::create({{"y", x.cast(DType::float32) * 2}});
  CHECK(text_of_error([&] { compile(model, cpu(), {.trainable_keys = {"x"}}); }) ==
        "mithril.GradientError[E0506]: 'x' of trainable_keys cannot be a parameter\n"
        "  reason : no gradient flows to float8_e5m2");
}

TEST_CASE("elements of few bits are read through a cast") {
  CHECK(text_of_error([] { visit_dtype(DType::int4, [](auto) {}); }) ==
        "mithril.TypeError[E1364]: elements of int4 are stored, and not computed with\n"
        "  help: cast them to int32 first");
}

}  // namespace mithril
