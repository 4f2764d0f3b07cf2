// Text as the words of BERT models without capital letters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mithril {

// Words in small letters without accents; punctuation and ideographs are words of their own. It
// agrees with Hugging Face's BertNormalizer and BertPreTokenizer for each character. Bytes that are
// not UTF-8 become unknown letters.
std::vector<std::u32string> bert_words(std::string_view utf8);

}  // namespace mithril
