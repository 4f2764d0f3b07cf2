// Characters of texts in UTF-8.
#pragma once
#include <cstddef>
#include <string_view>

struct Character {
  char32_t code = 0;
  size_t bytes = 1;
};

// The character that begins the text. A byte that is not UTF-8 is a character of its own.
Character first_of(std::string_view text);
