// The decoders of tokenizer.json: tokens as text.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mithril/text/json_field.hpp"

namespace mithril {

// Changes a list of tokens into parts of the text, in valid UTF-8; any thread may call it.
using TokenDecoder = std::function<void(std::vector<std::string>&)>;

// ParseError E0772 for a decoder of another kind, E0726 for a value of another form. Null puts a
// space between tokens.
TokenDecoder read_decoder(const JsonField& field);
TokenDecoder byte_level_decoder();

}  // namespace mithril
