// Files of ONNX: any input is read or refused, within limits on time and memory. Inputs are changed
// as messages, so that most changes get past the reader of fields.
#include <algorithm>

#include "tests/fuzz/mutate_message.hpp"
#include "tests/fuzz/onnx_input.hpp"
#include "tests/fuzz/require.hpp"

using namespace mithril;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

std::string changed_bytes(std::string_view bytes) {
  constexpr size_t most_added = 16;
  std::string made(bytes);
  made.resize(bytes.size() + most_added);
  made.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(made.data()), bytes.size(), made.size()));
  return made;
}

size_t write_changed(std::string_view message, std::string_view other, uint8_t* out,
                     size_t max_size, unsigned seed) {
  fuzz::Random random(seed);
  std::string made(message);
  for (auto changes = 1 + random() % 3; changes > 0; --changes)
    made = fuzz::mutated_message(made, other, random, changed_bytes);
  const size_t size = std::min(made.size(), max_size);
  std::copy_n(made.begin(), size, out);
  return size;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  const std::string message(fuzz::text_of(data, size));
  return write_changed(message, message, data, max_size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data, size_t size, const uint8_t* other,
                                            size_t other_size, uint8_t* out, size_t max_size,
                                            unsigned seed) {
  return write_changed(fuzz::text_of(data, size), fuzz::text_of(other, other_size), out, max_size,
                       seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::check_onnx(data, size);
  return 0;
}
