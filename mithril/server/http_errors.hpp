// The errors of HTTP, each in one place.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "mithril/base/error.hpp"

namespace mithril {

ParseError invalid_request(const std::string& why);        // E1238
InputError too_large_body(std::size_t most);               // E1239
BackendError failed_request(const std::string& why);       // E1241
InputError too_large_head(std::size_t most);               // E1242
InputError late_request(std::chrono::milliseconds limit);  // E1243
InputError unknown_encoding(const std::string& encoding);  // E1244
BackendError too_many_bodies();                            // E1245
BackendError stopping_server();                            // E1246

}  // namespace mithril
