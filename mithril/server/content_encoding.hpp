// Bodies that the client has compressed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mithril/server/memory_budget.hpp"

namespace mithril {

// Whether the server reads bodies with this header Content-Encoding.
bool is_known_encoding(std::string_view encoding);

// The body decompressed, by a known encoding. Stops above `most` bytes. ParseError E1238 for data
// that is not valid; InputError E1239 above the limit; BackendError E1245 without memory for it.
std::string decoded_body(std::string_view encoding, std::string body, std::size_t most,
                         HeldMemory& memory);

}  // namespace mithril
