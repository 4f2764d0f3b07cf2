// Generated functions besides their results: states, constants, failures, C declarations.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "codegen/jax/write_jax.hpp"
#include "codegen/web/write_javascript.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "tests/codegen/generated.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {
namespace {

// Builds the source with a main() and returns its output; skips without a compiler.
std::string printed(const ExportedModel& model, const std::string& body) {
  const std::vector<std::string> found = compilers();
  if (found.empty()) {
    skip("there is no C++ compiler");
    return "";
  }
  const TemporaryFolder folder("mithril-codegen-");
  write_cpp(model, folder.path("net.cpp"));
  write_text(folder.path("main.cc"),
             "#define DECLARATIONS_ONLY\n#include <cstdio>\n#include \"net.cpp\"\nint main() {\n" +
                 body + "}\n");
  const Ended ended = run_command(
      fmt::format("cd '{}' && {} -std=c++17 -fsanitize=address main.cc net.cpp -o net && ./net",
                  folder.path(), found.front()));
  CHECK_MESSAGE(ended.well, ended.printed);
  return ended.printed;
}

void check_printed(const ExportedModel& model, const std::string& body,
                   const std::string& expected) {
  const std::string got = printed(model, body);
  if (!compilers().empty()) CHECK(got == expected);
}

}  // namespace

TEST_CASE("a state starts with its initial value, and its next value is an output") {
  Model model;
  model |= Model::op("add")({{"left", "count"}, {"right", "x"}, {"output", "next"}});
  model.bind_state_keys("count", "next", Tensor::scalar(10.0f));
  model.set_shapes({{"x", {2}}, {"count", {2}}});
  const CompiledModel compiled = compile(model, cpu(), {.data_keys = {"x"}, .inference = true});
  check_printed(compiled.exported(), R"(
  float x[] = {1, 2}, next[2], count[] = {0, 0}, output[2];
  net_inputs inputs{};
  inputs.x = x;
  net_outputs outputs{};
  outputs.next_count = next;
  outputs.output = output;
  if (net_evaluate(&inputs, &outputs, nullptr)) return 1;
  std::printf("%g %g ", next[0], next[1]);
  inputs.count = count;
  char workspace[1024];
  if (net_evaluate(&inputs, &outputs, workspace)) return 1;
  std::printf("%g %g %d", next[0], next[1], net_workspace_bytes() <= sizeof workspace);
)",
                "11 12 1 2 1");
}

TEST_CASE("an error names a null pointer, and the pointer is not read") {
  Model model;
  model |=
      Linear({.dimension = 1})({{"input", "x"}, {"weight", "w"}, {"bias", "b"}, {"output", "y"}});
  const ExportedModel exported =
      compile(model, cpu(), {.shapes = {{"x", {1, 2}}}, .data_keys = {"x"}}).exported();
  const std::string body = R"(
  float x[] = {1, 2}, w[] = {3, 4}, b[] = {5}, y[1], dy[] = {1}, dw[2], db[1];
  net_inputs inputs{};
  net_outputs outputs{};
  net_output_gradients output_gradients{};
  net_gradients gradients{};
  const auto forward = [&] { return net_evaluate(&inputs, &outputs, nullptr); };
  const auto backward = [&] {
    return net_evaluate_gradients(&inputs, &output_gradients, &outputs, &gradients, nullptr);
  };
  std::puts(net_evaluate(nullptr, &outputs, nullptr));
  std::puts(net_evaluate(&inputs, nullptr, nullptr));
  std::puts(net_evaluate_gradients(&inputs, nullptr, nullptr, nullptr, nullptr));
  std::puts(forward());
  inputs.x = x, inputs.w = w;
  std::puts(forward());
  inputs.b = b;
  std::puts(forward());
  std::puts(net_evaluate(&inputs, nullptr, nullptr));
  std::puts(backward());
  std::puts(net_evaluate_gradients(&inputs, nullptr, &outputs, &gradients, nullptr));
  output_gradients.y = dy, outputs.y = y;
  std::puts(backward());
  std::puts(net_evaluate_gradients(&inputs, &output_gradients, &outputs, nullptr, nullptr));
  gradients.w = dw;
  std::puts(backward());
  gradients.b = db;
  if (forward() || backward()) return 1;
  std::printf("%g %g %g %g\n", y[0], dw[0], dw[1], db[0]);
)";
  check_printed(exported, body,
                "mithril.BackendError[E1053]: net_evaluate: inputs is null\n"
                "mithril.BackendError[E1053]: net_evaluate: inputs->x is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: inputs->x is null\n"
                "mithril.BackendError[E1053]: net_evaluate: inputs->x is null\n"
                "mithril.BackendError[E1053]: net_evaluate: inputs->b is null\n"
                "mithril.BackendError[E1053]: net_evaluate: outputs->y is null\n"
                "mithril.BackendError[E1053]: net_evaluate: outputs is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: output_gradients->y is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: output_gradients is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: gradients->w is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: gradients is null\n"
                "mithril.BackendError[E1053]: net_evaluate_gradients: gradients->b is null\n"
                "16 1 2 1\n");
}

TEST_CASE("a pointer to no elements may be null") {
  Model model;
  model |= Relu()({{"input", "x"}, {"output", "y"}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {0, 3}}}});
  check_printed(compiled.exported(), R"(
  const net_inputs inputs{};
  const net_outputs outputs{};
  std::printf("%d", net_evaluate(&inputs, &outputs, nullptr) == nullptr);
)",
                "1");
}

TEST_CASE("an index out of range is reported and not read") {
  Model model;
  model |= Embedding({.num_embeddings = 3, .dim = 2})({{"input", "i"}, {"output", "rows"}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"i", {1}}}, .inference = true});
  const CompiledModel bound = compiled.bind(compiled.get_parameters());
  check_printed(bound.exported(), R"(
  int64_t index[] = {3};
  float rows[2];
  const net_inputs inputs{index};
  const net_outputs outputs{rows};
  std::printf("%s", net_evaluate(&inputs, &outputs, nullptr));
)",
                "an index is out of range");
}

TEST_CASE("the gradients of a model with a cost are those of the cost") {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  model |= Mean()({{"input", "y"}, {"output", "final_cost"}});
  const ExportedModel exported = compile(model, cpu(), {.shapes = {{"x", {2, 3}}}}).exported();
  REQUIRE(exported.gradient_of.size() == 1);
  CHECK(exported.outputs[exported.gradient_of.front()].key == "final_cost");
  CHECK(cpp_source(exported, "net").find("const float* final_cost;  // of final_cost []") !=
        std::string::npos);
}

TEST_CASE("generated gradients leave frozen parameters out") {
  Model model;
  model |=
      Linear({.dimension = 1})({{"input", "x"}, {"weight", "w"}, {"bias", "b"}, {"output", "y"}});
  const CompileOptions options{.shapes = {{"x", {1, 2}}}, .data_keys = {"x"}, .frozen = {"w"}};
  const ExportedModel exported = compile(model, cpu(), options).exported();
  CHECK(cpp_source(exported, "net").find("const float* w;  // frozen parameter w [1, 2]") !=
        std::string::npos);
  check_printed(exported, R"(
  float x[] = {1, 2}, w[] = {3, 4}, b[] = {5}, y[1], dy[] = {1}, db[1];
  const net_inputs inputs{x, w, b};
  const net_outputs outputs{y};
  const net_output_gradients output_gradients{dy};
  const net_gradients gradients{db};
  if (net_evaluate_gradients(&inputs, &output_gradients, &outputs, &gradients, nullptr)) return 1;
  std::printf("%g %g", y[0], db[0]);
)",
                "16 1");
  const std::string web = javascript_source(exported, "net");
  const std::size_t gradients = web.find("  gradients: [");
  REQUIRE(gradients != std::string::npos);
  CHECK(web.find("name: \"w\"", gradients) == std::string::npos);
  CHECK(web.find("name: \"b\"", gradients) != std::string::npos);
  CHECK(jax_source(exported, "net").find("jax.lax.stop_gradient(params[\"w\"])") !=
        std::string::npos);
}

TEST_CASE("a model for inference, or without parameters, has no gradients to write") {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  const CompileOptions options{.shapes = {{"x", {2, 3}}}, .inference = true};
  CHECK(!compile(model, cpu(), options).exported().gradients);
  Model relu;
  relu |= Relu()({{"input", "x"}, {"output", "y"}});
  CHECK(!compile(relu, cpu(), {.shapes = {{"x", {2}}}}).exported().gradients);
}

TEST_CASE("the declarations of a generated file are C") {
  if (!run_command("command -v gcc").well) {
    skip("there is no gcc");
    return;
  }
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {2, 3}}}});
  const TemporaryFolder folder("mithril-codegen-");
  write_cpp(compiled.exported(), folder.path("net.cpp"));
  write_text(folder.path("main.c"),
             "#define DECLARATIONS_ONLY\n#include \"net.cpp\"\nint main(void) { return 0; }\n");
  const Ended ended = run_command(fmt::format(
      "cd '{}' && gcc -std=c99 -Wall -Wextra -Wpedantic -Werror main.c", folder.path()));
  CHECK_MESSAGE(ended.well, ended.printed);
}

}  // namespace mithril::tests
