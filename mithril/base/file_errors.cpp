#include "mithril/base/file_errors.hpp"

#include <system_error>

#include "mithril/base/error.hpp"

namespace mithril {

std::string reason_of(int error) { return std::generic_category().message(error); }

void cannot_read(const std::string& path, const std::string& why) {
  raise({.kind = ErrorKind::input,
         .code = "E0830",
         .path = path,
         .message = "the file cannot be read",
         .facts = {{"why", why}}});
}

void cannot_write(const std::string& path, const std::string& why) {
  raise({.kind = ErrorKind::input,
         .code = "E0831",
         .path = path,
         .message = "the file cannot be written",
         .facts = {{"why", why}}});
}

}  // namespace mithril
