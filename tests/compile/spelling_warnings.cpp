// Misspelt names become new inputs, which the summary lists and compiling warns about.
#include "mithril/compile/spelling_warnings.hpp"

#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/warning.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/train_model/train_model.hpp"

namespace mithril {
namespace {

using Texts = std::vector<std::string>;

Model with_typing_error() {
  Model model;
  model |= Linear({.dimension = 2})({{"input", "x"}, {"output", "hidden"}});
  model |= Relu()({{"input", "hiden"}, {"output", "y"}});
  return model;
}

// Collects the warnings during its lifetime.
struct Listening {
  Listening() : before(set_warning_handler([this](const std::string& t) { heard.push_back(t); })) {}
  ~Listening() { set_warning_handler(before); }
  Texts heard;
  WarningHandler before;
};

}  // namespace

TEST_CASE("the summary lists an input that a misspelt name created") {
  const std::string summary = with_typing_error().summary();
  CHECK(summary.substr(summary.find("inputs:")).find(" hiden ") != std::string::npos);
}

TEST_CASE("compiling warns of an input that looks like another name") {
  Listening listening;
  const CompiledModel compiled = compile(with_typing_error(), cpu());
  CHECK(compiled.warnings() ==
        Texts{"mithril.Warning[W0601]: no part computes the input 'hiden', and it looks like "
              "'hidden'\n"
              "  help: correct the name; if it is an input, say so in data_keys, trainable_keys or "
              "shapes"});
  CHECK(listening.heard == compiled.warnings());
}

TEST_CASE("compiling does not warn about an input that an option mentions") {
  const Listening listening;
  CHECK(compile(with_typing_error(), cpu(), {.data_keys = {"hiden"}}).warnings().empty());
  CHECK(compile(with_typing_error(), cpu(), {.trainable_keys = {"hiden"}}).warnings().empty());
  CHECK(compile(with_typing_error(), cpu(), {.shapes = {{"hiden", {2}}}}).warnings().empty());
  Model stated = with_typing_error();
  stated.set_shapes({{"hiden", {2, 3}}});
  CHECK(compile(stated, cpu()).warnings().empty());
}

TEST_CASE("the warning about two inputs with similar names is about the later one") {
  const Listening listening;
  Model model;
  model |= Relu()({{"input", "image"}, {"output", "a"}});
  model |= Relu()({{"input", "imgae"}, {"output", "b"}});
  const Texts warnings = compile(model, cpu()).warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("input 'imgae', and it looks like 'image'") != std::string::npos);
}

TEST_CASE("compiling does not warn about the parameters of layers with similar names") {
  const Listening listening;
  Model model;
  model |= Embedding({.num_embeddings = 5, .dim = 3})
               .named("wte")({{"input", "ids"}, {"output", "tokens"}});
  model |= Embedding({.num_embeddings = 4, .dim = 3})
               .named("wpe")({{"input", "places"}, {"output", "positions"}});
  TrainModel train(model);
  train.add_loss(SquaredError(), {{"input", "tokens"}, {"target", "positions"}});
  CHECK(compile(train, cpu()).warnings() == Texts{});
}

TEST_CASE("names look alike if they differ by one typing error") {
  struct Pair {
    std::string a, b;
  };
  const std::vector<Pair> alike = {{"hidden", "hiden"},
                                   {"hidden", "hidde"},
                                   {"mask", "msak"},
                                   {"Hidden", "hidden"},
                                   {"hidden_state", "hiddenState"},
                                   {"label", "labels"},
                                   {"key_mask", "key_masc"}};
  for (const Pair& pair : alike) {
    CAPTURE(pair.a);
    CHECK(looks_like(pair.a, pair.b));
    CHECK(looks_like(pair.b, pair.a));
  }
  const std::vector<Pair> apart = {{"h1", "h2"},         {"input1", "input2"},
                                   {"w_q", "w_k"},       {"q_proj", "k_proj"},
                                   {"left", "right"},    {"x", "y"},
                                   {"src", "srb"},       {"hidden", "hidden1"},
                                   {"hidden", "output"}, {"a", ""}};
  for (const Pair& pair : apart) {
    CAPTURE(pair.a);
    CHECK_FALSE(looks_like(pair.a, pair.b));
    CHECK_FALSE(looks_like(pair.b, pair.a));
  }
}

}  // namespace mithril
