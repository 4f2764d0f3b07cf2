// Compiled models written for programs without Mithril: ml::write.
#include "mithril/export/write.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "codegen/jax/write_jax.hpp"
#include "codegen/web/write_javascript.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"

namespace mithril::tests {
namespace {

CompiledModel exported_layer(ShapeSpec shape) {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  return compile(model, cpu(), {.shapes = {{"x", std::move(shape)}}});
}

TensorMap exported_data() { return {{"x", Tensor::zeros({2, 3})}}; }

}  // namespace

TEST_CASE("the ending of a path names the target of write") {
  const FileFolder folder;
  const CompiledModel open = exported_layer({"N", 3}), fixed = exported_layer({2, 3});
  write(open, folder.at("net.cpp"), {.data = exported_data()});
  write(open, folder.at("net.py"));
  write(fixed, folder.at("net.mjs"));
  CHECK(contents(folder.at("net.cpp")) == cpp_source(open.exported(exported_data()), "net"));
  CHECK(contents(folder.at("net.py")) == jax_source(open.exported_with_open_sizes(), "net"));
  CHECK(contents(folder.at("net.mjs")) == javascript_source(fixed.exported(), "net"));
}

TEST_CASE("a module of JavaScript computes with WebGPU if the device says so") {
  const FileFolder folder;
  write(exported_layer({2, 3}), folder.at("net.mjs"), {.device = "webgpu"});
  const std::string module = contents(folder.at("net.mjs"));
  CHECK(module.find("await webgpuEngine(description, evaluator)") != std::string::npos);
  CHECK(contents(folder.at("net.d.mts")).find("Promise<Outputs>") != std::string::npos);
}

TEST_CASE("a named target of write needs a path with its ending") {
  const FileFolder folder;
  const CompiledModel compiled = exported_layer({2, 3});
  write(compiled, folder.at("net.cc"), {.target = "cpp"});
  CHECK(contents(folder.at("net.cc")) == cpp_source(compiled.exported(), "net"));
  write(compiled, folder.at("npm"), {.target = "javascript"});
  CHECK(!contents(folder.at("npm/package.json")).empty());
  CHECK(text_of_error([&] { write(compiled, "net.py", {.target = "cpp"}); }) ==
        "mithril.ValueError[E0492]: the target 'cpp' does not write 'net.py'\n"
        "  expected : .cpp");
  CHECK(text_of_error([&] { write(compiled, "net.py", {.target = "javascript"}); }) ==
        "mithril.ValueError[E0492]: the target 'javascript' does not write 'net.py'\n"
        "  expected : .mjs, a folder");
  CHECK(text_of_error([&] { write(compiled, "net.onnx"); }) ==
        "mithril.ValueError[E0492]: the ending of 'net.onnx' names no language\n"
        "  expected : .cpp, .py, .mjs, .pt");
}

TEST_CASE("write refuses unknown targets and options that a target does not take") {
  const CompiledModel compiled = exported_layer({2, 3});
  CHECK(text_of_error([&] { write(compiled, "net.cpp", {.target = "javascrip"}); }) ==
        "mithril.NameError[E0630]: write has no target 'javascrip'\n"
        "  known : cpp, jax, javascript, torchscript\n"
        "  help: did you mean 'javascript'?");
  CHECK(text_of_error([&] { write(compiled, "net.py", {.data = exported_data()}); }) ==
        "mithril.ValueError[E0493]: write: the target 'jax' takes no data");
  CHECK(text_of_error([&] { write(compiled, "net.cpp", {.params = compiled.get_parameters()}); }) ==
        "mithril.ValueError[E0493]: write: the target 'cpp' takes no params");
  CHECK(text_of_error([&] { write(compiled, "net.cpp", {.device = "webgpu"}); }) ==
        "mithril.ValueError[E0493]: write: the target 'cpp' takes no device");
  CHECK(text_of_error([&] { write(compiled, "net.mjs", {.device = "webgp"}); }) ==
        "mithril.NameError[E0630]: JavaScript has no device 'webgp'\n"
        "  known : cpu, webgpu\n"
        "  help: did you mean 'webgpu'?");
  const WriteOptions stored{.params = compiled.get_parameters()};
  const std::string text = text_of_error([&] { write(compiled, "net.pt", stored); });
  CHECK(text.starts_with("mithril.BackendError[E1021]: "));
}

}  // namespace mithril::tests
