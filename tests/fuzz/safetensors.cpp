// Files of tensors: any input is refused, or has a header that is written and read back.
#include "mithril/serialization/safetensors_header.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;

bool equal(const StoredTensor& a, const StoredTensor& b) {
  return a.name == b.name && a.type == b.type && a.dims == b.dims && a.begin == b.begin &&
         a.end == b.end;
}

}  // namespace

// The length of the header is that of the input up to the first NUL, so that inputs need no binary
// number in front. Behind the NUL is the data.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const size_t end = std::min(input.find('\0'), input.size());
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(end >> (8 * i) & 0xFF);
  bytes += input.substr(0, end);
  bytes += input.substr(std::min(end + 1, input.size()));
  fuzz::unless_refused([&] { return read_safetensors_header(input, "file"); });
  const auto read = fuzz::unless_refused([&] { return read_safetensors_header(bytes, "file"); });
  if (!read) return 0;
  const std::string head = safetensors_header_text(read->tensors, read->metadata);
  fuzz::require(head.size() % 64 == 0, "data begins at a multiple of 64 bytes");
  const auto again = read_safetensors_header(head + bytes.substr(read->data_begin), "again");
  fuzz::require(again.metadata == read->metadata, "the metadata is read back");
  fuzz::require(again.tensors.size() == read->tensors.size(), "each tensor is read back");
  for (size_t i = 0; i < again.tensors.size(); ++i) {
    fuzz::require(equal(again.tensors[i], read->tensors[i]), "a tensor is read back");
  }
  return 0;
}
