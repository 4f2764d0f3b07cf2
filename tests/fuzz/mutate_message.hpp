// Changes of protocol buffers that keep most of their structure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::fuzz {

using Random = std::minstd_rand;

// Changes some bytes, and may change their number.
using ChangeBytes = std::function<std::string(std::string_view)>;

// The message with one field changed, at a random depth: its number, its length or its bytes, or it
// is left out, repeated, moved, or replaced by a field of `other`. The lengths of the messages
// around it are mostly made right again. Bytes that are no message are changed as bytes.
std::string mutated_message(std::string_view message, std::string_view other, Random& random,
                            const ChangeBytes& change_bytes);

}  // namespace mithril::fuzz
