// The pre-tokenizers of tokenizer.json: how a text is split into words.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mithril/text/json_field.hpp"

namespace mithril {

struct TextWord {
  std::string text;       // that is not empty
  bool is_first = false;  // it begins the whole text
};

// Splits valid UTF-8 into words; any thread may call it.
using PreTokenizer = std::function<std::vector<TextWord>(TextWord)>;

// ParseError E0772 for a pre-tokenizer of another kind, E0726 for a value of another form. Null
// does not split.
PreTokenizer read_pre_tokenizer(const JsonField& field);

}  // namespace mithril
