// The normalizers of tokenizer.json.
#pragma once
#include <functional>
#include <string>

#include "mithril/text/json_field.hpp"
#include "mithril/text/pattern.hpp"

namespace mithril {

using Normalizer = std::function<void(std::string&)>;  // of valid UTF-8; any thread may call it

// ParseError E0772 for a normalizer of another kind, E0726 for a value of another form. Null
// changes no text.
Normalizer read_normalizer(const JsonField& field);

// The pattern of a Replace or a Split: {"String": ...} or {"Regex": ...}. E0772 for a regular
// expression with parts that Pattern does not have.
Pattern read_text_pattern(const JsonField& field);
void replace_all(std::string& text, const Pattern& pattern, const std::string& content);

}  // namespace mithril
