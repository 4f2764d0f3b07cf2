// The text of tokens, one token after the other.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "mithril/text/byte_pair_model.hpp"

// Text is valid UTF-8: the bytes of a character are returned when it is complete, and U+FFFD takes
// the place of others. If a run of tokens such as <0x0A> is not UTF-8, `tokenizers` of Hugging Face
// puts U+FFFD for each byte of the run. A stream has returned the characters before the first
// invalid byte by then, and puts U+FFFD for each other byte.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer)
      : tokenizer_(&tokenizer), spaces_to_strip_(tokenizer.decoder().stripped_spaces) {}

  std::string next(int64_t token);  // the text that is complete with this token
  std::string rest();               // at the end

 private:
  std::string complete_characters();
  std::string end_of_run();
  std::string stripped(std::string_view text);

  const Tokenizer* tokenizer_;
  std::string bytes_;            // of a character that is not complete
  bool is_invalid_run_ = false;  // a byte before in this run of bytes was not UTF-8
  size_t spaces_to_strip_;
};
