// The text of tokens, one token after the other.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mithril {

class TokenizerModel;

// Text is valid UTF-8: a character is returned when it is complete. U+FFFD, which takes the place
// of bytes that are not UTF-8, is returned with the next other character. The texts together are
// those of Tokenizer::decode, except where bytes after complete characters show that a run of
// tokens such as <0x0A> is not UTF-8: decode puts U+FFFD for each byte of the run, also for those
// that a stream has returned. Tokens that the tokenizer does not have add no text.
// Tokenizer::stream() makes it. Example:
//   ml::TextStream text = tokenizer.stream();
//   options.stream = [&](size_t, int64_t token) { std::cout << text.push(token); };
//   ml::generate(model, params, prompt, options);
//   std::cout << text.finish();
class TextStream {
 public:
  explicit TextStream(std::shared_ptr<const TokenizerModel> model, bool skip_special_tokens = true);

  std::string push(std::int64_t token);  // the text that is complete with this token
  std::string finish();                  // the rest, at the end

  std::string next(std::int64_t token) { return push(token); }  // the old name, until 0.2
  std::string rest() { return finish(); }                       // the old name, until 0.2

 private:
  using Tokens = std::vector<std::int64_t>;

  std::string text_after(const Tokens& before, const Tokens& tokens) const;
  void settle(const std::string& text);

  std::shared_ptr<const TokenizerModel> model_;  // immutable, and shared with its tokenizer
  bool skip_special_tokens_ = true;
  Tokens before_;        // some of the last tokens whose text was returned or settled
  std::string settled_;  // text that later tokens do not change, and that was not returned
  Tokens pending_;       // tokens after it
};

}  // namespace mithril
