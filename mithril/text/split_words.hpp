// How tokenizers split a text into words.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace mithril {

// The pre-tokenizer of a byte-level tokenizer: that of GPT-2, or that of Llama 3 and Qwen2, which
// splits numbers into words of at most `most_digits` digits.
struct WordRule {
  size_t most_digits = 0;  // 0: the pre-tokenizer of GPT-2
};

// The words and spaces of a text in UTF-8. Outside ASCII, letters and digits are told from
// punctuation by blocks of Unicode.
std::vector<std::string_view> split_words(std::string_view text, WordRule rule = {});

// The words that begin at each mark, and the text before the first one.
std::vector<std::string_view> split_before(std::string_view text, std::string_view mark);

}  // namespace mithril
