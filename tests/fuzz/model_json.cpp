// Models as JSON: any text is refused, or makes a model that is written and read back.
#include "tests/fuzz/model_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mithril;
  fuzz::set_small_limits();
  const auto model = fuzz::unless_refused([&] { return from_json(fuzz::text_of(data, size)); });
  if (model) fuzz::check_model(*model);
  return 0;
}
