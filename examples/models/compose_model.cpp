// Composes a published model and writes it as JSON, which `ml.Model.from_json` reads.
// Usage: compose_model NAME
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "bert.hpp"
#include "gpt2.hpp"
#include "llama.hpp"
#include "resnet.hpp"

namespace {

const rotary::Scaling llama_31 = {.type = "llama3", .factor = 8};

const std::map<std::string, std::function<mithril::Model()>> models = {
    {"bert", [] { return bert::model({}); }},
    {"gpt2", [] { return gpt2::model({}); }},
    {"gpt2_cached", [] { return gpt2::model({}, 64); }},
    {"llama", [] { return llama::model({}); }},
    {"llama_cached", [] { return llama::model({}, 64); }},
    {"llama_31", [] { return llama::model({.rope_theta = 5e5, .rope_scaling = llama_31}); }},
    {"llama_of_groups", [] { return llama::model({.num_key_value_heads = 4}); }},
    {"llama_tied", [] { return llama::model({.tie_word_embeddings = true}); }},
    {"llama_yarn", [] { return llama::model({.rope_scaling = {.type = "yarn", .factor = 4}}); }},
    {"minilm_l6", [] { return bert::model(bert::minilm_l6()); }},
    {"resnet_18", [] { return resnet::model(resnet::resnet_18()); }},
    {"resnet_34", [] { return resnet::model(resnet::resnet_34()); }},
    {"resnet_50", [] { return resnet::model({}); }},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "gpt2";
  const auto found = models.find(name);
  if (found == models.end()) {
    std::fprintf(stderr, "no such model: %s; there are", name.c_str());
    for (const auto& [known, _] : models) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::puts(mithril::to_json(found->second()).c_str());
}
