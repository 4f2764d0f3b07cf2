// Backends of paths that compile refuses.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/skip.hpp"

namespace mithril {
namespace {

using tests::has_torch, tests::skip_without_torch, tests::text_of_error;

Model two_layers() {
  Model model;
  model |= Linear({.dimension = 6}).named("body")({{"input", "x"}, {"output", "wide"}});
  model |= Linear({.dimension = 3}).named("head")({{"input", "wide"}, {"output", "scores"}});
  return model;
}

}  // namespace

TEST_CASE("a path that no part has is refused with the nearest") {
  const auto text = [](const std::string& path) {
    return text_of_error([&] { compile(two_layers(), {{"", cpu()}, {path, cpu()}}); });
  };
  CHECK(tests::without_known(text("haed")) ==
        "mithril.NameError[E0645]: backends: there is no part 'haed'\n"
        "  help: did you mean 'head'?");
  CHECK(tests::without_known(text("head.weigth")).find("E0645") != std::string::npos);
}

TEST_CASE("backends without the path of all other parts are refused") {
  CHECK(text_of_error([] {
          compile(two_layers(), {{"head", cpu()}, {"body", cpu()}});
        }) ==
        "mithril.BackendError[E1060]: backends has no entry '' for the parts that no path names\n"
        "  paths : body, head\n"
        "  help: add one, such as {\"\": ml.CpuBackend()}");
}

TEST_CASE("a null backend of a path is refused") {
  CHECK(text_of_error([] {
          compile(two_layers(), {{"", cpu()}, {"head", nullptr}});
        }) ==
        "mithril.BackendError[E1052]: compile: the backend of 'head' is null\n"
        "  help: give one, such as ml::cpu()");
}

TEST_CASE("backends whose floats have different dtypes are refused") {
  CHECK(text_of_error([] {
          compile(two_layers(), {{"", cpu()}, {"head", cpu({.dtype = DType::float64})}});
        }) ==
        "mithril.BackendError[E1061]: two backends of one model have different dtypes of floats\n"
        "  the backend of ''     : float32   cpu\n"
        "  the backend of 'head' : float64   cpu\n"
        "  help: make both with the same dtype and the same mixed precision");
  CHECK(text_of_error([] {
          compile(two_layers(), {{"", cpu()}, {"head", cpu({.use_amp = true})}});
        }).find("  the backend of 'head' : float32, mixed with bfloat16   cpu\n") !=
        std::string::npos);
}

TEST_CASE("a backend that takes part in the differentiation of its library is refused") {
  if (!has_torch()) return skip_without_torch();
  CHECK(text_of_error([] {
          compile(two_layers(), {{"", torch({.requires_grad = true})}, {"head", cpu()}});
        }) ==
        "mithril.BackendError[E1062]: the backend of '' takes part in the differentiation of its "
        "library, which does not see the other backends\n"
        "  help: make it without requires_grad, and request gradients from evaluate");
}

}  // namespace mithril
