#include "tests/fuzz/onnx_input.hpp"

#include "mithril/onnx/read_onnx.hpp"
#include "tests/fuzz/cost.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/require.hpp"

namespace mithril::fuzz {
namespace {

constexpr double most_seconds = 5;
constexpr std::size_t free_bytes = std::size_t{64} << 20, bytes_of_byte = 4;

void use(const OnnxModel& net) {
  for (const std::string& key : net.model.input_keys()) require(!key.empty(), "inputs have names");
  for (const auto& [key, tensor] : net.parameters)
    require(tensor.size() == 0 || tensor.raw_data() != nullptr, "parameters have elements");
}

}  // namespace

std::string check_onnx(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  std::string outcome = "read";
  const Cost cost;
  unless_refused([&] {
    try {
      const OnnxModel net = read_onnx(file.path());
      use(net);
    } catch (const Error& error) {
      outcome = error.code();
      throw;
    }
    return true;
  });
  require(cost.seconds() <= most_seconds,
          "reading takes " + std::to_string(cost.seconds()) + " seconds");
  require(cost.peak_bytes() <= bytes_of_byte * size + free_bytes,
          "reading takes " + std::to_string(cost.peak_bytes()) + " bytes of memory");
  return outcome;
}

}  // namespace mithril::fuzz
