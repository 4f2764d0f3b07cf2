// Files of NumPy and PyTorch: each input is read or refused, as an archive, a pickle and deflate
// data.
#include "mithril/serialization/inflate.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/torch_pickle.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

using namespace mithril;

void use(const TensorMap& tensors) {
  for (const auto& [key, tensor] : tensors) {
    fuzz::require(printable(key).size() >= key.size() && identical(tensor.copy(), tensor),
                  "elements are there");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t most_bytes = 1000;
  const fuzz::MemoryFile file(data, size);
  const auto arrays = fuzz::unless_refused([&] { return load_npz(file.path()); });
  if (arrays) use(*arrays);
  const auto tensors = fuzz::unless_refused([&] { return load_torch(file.path()); });
  if (tensors) use(*tensors);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  fuzz::unless_refused([&] { return read_torch_pickle(bytes, "file"); });
  for (size_t made = 0; made <= most_bytes; made += most_bytes / 4) {
    const auto result = inflated(bytes, made);
    fuzz::require(!result || result->size() == made, "the number of bytes");
  }
  return 0;
}
