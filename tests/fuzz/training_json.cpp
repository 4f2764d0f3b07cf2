// Training models as JSON: an input has the fields of one, around a fixed network.
#include "tests/fuzz/model_json.hpp"

namespace {

constexpr const char* network = R"({
  "name": "Model",
  "submodels": {"fc": {"name": "Linear", "args": {"dimension": 2}}, "relu": "Relu",
                "rest": {"name": "Linear", "args": {"dimension": 1}}},
  "connections": {"fc": {"input": "x", "weight": "w", "output": "h"},
                  "relu": {"input": "h", "output": "a"},
                  "rest": {"input": "a", "weight": "w_rest", "output": "y"}},
  "exposed_keys": ["h", "y"]
})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mithril;
  fuzz::set_small_limits();
  const std::string text = std::string(R"({"name": "TrainModel", "model": )") + network + ",\n" +
                           std::string(fuzz::text_of(data, size)) + "}";
  const auto model = fuzz::unless_refused([&] { return from_json(text); });
  if (model) fuzz::check_model(*model);
  return 0;
}
