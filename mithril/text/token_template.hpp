// The post-processors of tokenizer.json: the special tokens around a text.
#pragma once
#include <cstdint>
#include <vector>

#include "mithril/text/json_field.hpp"

namespace mithril {

struct TokenTemplate {
  struct Part {
    int64_t token = 0;
    int64_t type = 0;  // of token_type_ids
  };

  std::vector<Part> before, after;
  int64_t type = 0;  // of the text

  size_t size() const { return before.size() + after.size(); }
};

// The template of single texts; pairs are not read. ParseError E0772 for a post-processor of
// another kind, E0726 for a value of another form.
TokenTemplate read_token_template(const JsonField& field);

}  // namespace mithril
