// HTTP requests: the result does not depend on how the bytes are split, and accepted requests are
// within the limits. The first byte chooses the pieces.
#include <algorithm>

#include "mithril/server/request_reader.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace mithril;

constexpr RequestLimits limits{.head_bytes = 500, .body_bytes = 300};

RequestReader read_in_pieces(std::string_view bytes, std::size_t piece) {
  RequestReader reader(limits);
  while (!bytes.empty()) {
    reader.read(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return reader;
}

bool is_control(char each) { return (each >= 0 && each < 0x20) || each == 0x7f; }

void check_same(RequestReader& a, RequestReader& b) {
  fuzz::require(a.is_complete() == b.is_complete(), "both are complete, or none");
  fuzz::require(a.refusal().has_value() == b.refusal().has_value(), "both are refused, or none");
  if (a.refusal()) {
    fuzz::require(a.refusal()->status == b.refusal()->status, "both have the same status");
    return;
  }
  if (!a.is_complete()) return;
  const HttpRequest left = a.take(), right = b.take();
  fuzz::require(left.method == right.method && left.path == right.path && left.body == right.body &&
                    left.keeps_open == right.keeps_open && left.json_length == right.json_length &&
                    left.content_encoding == right.content_encoding,
                "both are the same request");
  fuzz::require(left.body.size() <= limits.body_bytes, "the body is within its limit");
  fuzz::require(left.path.starts_with('/'), "the path begins with a slash");
  fuzz::require(std::none_of(left.path.begin(), left.path.end(), is_control),
                "the path has no control characters");
  fuzz::require(left.body.empty() || left.method != "GET", "GET has no body");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  RequestReader whole = read_in_pieces(bytes, bytes.size() + 1);
  RequestReader pieces = read_in_pieces(bytes, 1 + data[0] % 40);
  if (whole.refusal())
    fuzz::require(whole.refusal()->status == 431 || whole.refusal()->status == 413 ||
                      !whole.refusal()->why.empty(),
                  "a refusal has a reason");
  check_same(whole, pieces);
  return 0;
}
