// The text of tokens, one token after the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mithril {

class BytePairModel;

// Text is valid UTF-8: the bytes of a character are returned when it is complete, and U+FFFD takes
// the place of others. If a run of tokens such as <0x0A> is not UTF-8, `tokenizers` of Hugging Face
// puts U+FFFD for each byte of the run. A stream has returned the characters before the first
// invalid byte by then, and puts U+FFFD for each other byte. Tokens that are special, or that the
// tokenizer does not have, add no text. BytePairTokenizer::stream() makes it. Example:
//   ml::TextStream text = tokenizer.stream();
//   options.stream = [&](size_t, int64_t token) { std::cout << text.next(token); };
//   ml::generate(model, params, prompt, options);
//   std::cout << text.rest();
class TextStream {
 public:
  explicit TextStream(std::shared_ptr<const BytePairModel> model);

  std::string next(std::int64_t token);  // the text that is complete with this token
  std::string rest();                    // at the end

 private:
  std::string complete_characters();
  std::string end_of_run();
  std::string stripped(std::string_view text);

  std::shared_ptr<const BytePairModel> model_;  // immutable, and shared with its tokenizer
  std::string bytes_;                           // of a character that is not complete
  bool is_invalid_run_ = false;                 // a byte before in this run of bytes was not UTF-8
  std::size_t spaces_to_strip_;
};

}  // namespace mithril
