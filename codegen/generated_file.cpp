#include "codegen/generated_file.hpp"

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril::codegen {

void write_generated(const std::string& path, std::span<const std::string_view> pieces) {
  const std::string why = write_file(path, pieces);
  if (why.empty()) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1030",
         .message = "the file " + mithril::quoted(path) + " cannot be written",
         .facts = {{"why", why}}});
}

void write_generated(const std::string& path, std::string_view source) {
  const std::string_view pieces[] = {source};
  write_generated(path, pieces);
}

}  // namespace mithril::codegen
