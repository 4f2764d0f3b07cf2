// Properties and forms of characters, of Unicode as utf8proc knows it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mithril {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

// Texts are valid UTF-8.
// As the package tokenizers: characters that Unicode 9 lacks do not change.
std::string normal_form(std::string_view text, NormalForm form);
std::string small_letters(std::string_view text);  // each character alone, of Unicode 17
// The bytes of the user-perceived character (grapheme cluster) that begins a text, which is not
// empty.
size_t first_cluster_bytes(std::string_view text);

// Whether the character has this general category, such as "L", "Lu" or "Nd". False for an unknown
// category.
bool has_category(char32_t code, std::string_view category);
bool is_category(std::string_view name);  // whether it exists
bool is_white_space(char32_t code);
bool is_word_character(char32_t code);  // \w of regular expressions
bool is_numeric(char32_t code);         // N
bool is_any_mark(char32_t code);        // M of Unicode 9
bool is_ascii_punctuation(char32_t code);
char32_t capital_letter(char32_t code);
char32_t folded(char32_t code);  // the same for letters that differ in their case

}  // namespace mithril
