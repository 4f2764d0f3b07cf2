// Models that cannot be written as C++ are refused by name.
#include <doctest/doctest.h>

#include <filesystem>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "codegen/web/write_javascript.hpp"
#include "codegen/web/write_wasm.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

CompiledModel layer(std::shared_ptr<Backend> backend, ShapeSpec shape = {2, 3}) {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  return compile(model, std::move(backend), {.shapes = {{"x", std::move(shape)}}});
}

// Returns a copy of a record without a C formula.
const OpDef& unspelled_op() {
  static const OpDef op = [] {
    OpDef like = find_op("relu");
    like.name = "unspelled";
    like.spell.clear();
    return like;
  }();
  return op;
}

}  // namespace

TEST_CASE("an op without C++ is refused by its path and name") {
  ExportedModel model{.inputs = {{.key = "x", .dims = {2}}}, .outputs = {{.key = "y"}}};
  const ValueId x = model.graph.add_input({.name = "x", .dims = {2}});
  model.graph.add_output("y", model.graph.add(unspelled_op(), {x}, "block.y").front());
  CHECK(text_of_error([&] { cpp_source(model, "model"); }) ==
        "mithril.BackendError[E1031]: block.y: there is no C++ for the op unspelled\n"
        "  help: spell a formula for the target \"c\" in its record, or compose it of other ops");
}

TEST_CASE("all ops without C++ are refused at once") {
  OpDef other = unspelled_op();
  other.name = "other";
  ExportedModel model{.inputs = {{.key = "x", .dims = {2}}}, .outputs = {{.key = "y"}}};
  const ValueId x = model.graph.add_input({.name = "x", .dims = {2}});
  const ValueId a = model.graph.add(unspelled_op(), {x}, "a").front();
  model.graph.add_output("y", model.graph.add(other, {a}, "b").front());
  CHECK(text_of_error([&] { cpp_source(model, "model"); }) ==
        "mithril.BackendError[E1031]: a: there is no C++ for the ops other, unspelled\n"
        "  a : unspelled\n"
        "  b : other\n"
        "  help: spell a formula for the target \"c\" in their records, or compose them of other "
        "ops");
}

TEST_CASE("half precision is refused by the path") {
  const CompiledModel compiled = layer(cpu({.dtype = DType::bfloat16}));
  CHECK(text_of_error([&] { cpp_source(compiled.exported(), "model"); }) ==
        "mithril.BackendError[E1032]: x: standard C++ has no type for bfloat16\n"
        "  help: compile for a backend of float32 or float64");
}

TEST_CASE("elements of 8 bits and fewer are refused by the path") {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{2}, .type = DType::float8_e5m2});
  const Model model = Model::create({{"y", x.cast(DType::float32)}});
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"x"}});
  CHECK(text_of_error([&] { cpp_source(compiled.exported(), "model"); }) ==
        "mithril.BackendError[E1032]: x: standard C++ has no type for float8_e5m2\n"
        "  help: cast it to float32");
}

TEST_CASE("an unknown size needs an example") {
  const CompiledModel compiled = layer(cpu(), {"N", 3});
  CHECK(text_of_error([&] { static_cast<void>(compiled.exported()); }) ==
        "mithril.InputError[E0811]: the sizes of 'x' are not known\n"
        "  known : [N, 3]\n"
        "  help: give data with an example of it, or shapes to compile");
  CHECK(text_of_error([&] {
          static_cast<void>(compiled.exported({{"z", Tensor()}}));
        }) ==
        "mithril.InputError[E0802]: there is no data input 'z'\n"
        "  known : x");
}

TEST_CASE("an example that does not fit is refused") {
  const CompiledModel compiled = layer(cpu(), {"N", 3});
  const ExportedModel model = compiled.exported({{"x", Tensor::full(DType::float32, {2, 4}, 0)}});
  CHECK(text_of_error([&] { cpp_source(model, "model"); }) ==
        "mithril.InputError[E0804]: x: 'x' has 4 in dim 1, expected 3\n"
        "  expected : [N, 3]\n"
        "  got      : [2, 4]");
}

TEST_CASE("a file that cannot be written raises an error and leaves no file") {
  const ExportedModel model = layer(cpu()).exported();
  CHECK(text_of_error([&] { write_cpp(model, "/nowhere/model.cpp"); }) ==
        "mithril.BackendError[E1030]: the file '/nowhere/model.cpp' cannot be written\n"
        "  why : No such file or directory");
  CHECK(!std::filesystem::exists("/nowhere"));
  CHECK(text_of_error([&] { write_cpp(model, "/dev/full"); }) ==
        "mithril.BackendError[E1030]: the file '/dev/full' cannot be written\n"
        "  why : No space left on device");
  CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("a package is not written to a folder with the name of a file") {
  const ExportedModel model = layer(cpu()).exported();
  CHECK(text_of_error([&] { write_javascript(model, "net.py"); }) ==
        "mithril.BackendError[E1030]: the file 'net.py' cannot be written\n"
        "  why : a package is a folder, and '.py' ends a file");
  CHECK(text_of_error([&] { write_wasm_loaders(model, "net.wasm"); }) ==
        "mithril.BackendError[E1030]: the file 'net.wasm' cannot be written\n"
        "  why : a package is a folder, and '.wasm' ends a file");
  CHECK(!std::filesystem::exists("net.py"));
  CHECK(!std::filesystem::exists("net.wasm"));
}

}  // namespace mithril
