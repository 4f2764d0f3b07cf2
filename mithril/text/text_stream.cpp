#include "mithril/text/text_stream.hpp"

#include <utility>

#include "mithril/text/tokenizer_model.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {

TextStream::TextStream(std::shared_ptr<const TokenizerModel> model, bool skip_special_tokens)
    : model_(std::move(model)), skip_special_tokens_(skip_special_tokens) {}

// Decoders treat the first token of a text in their own way, so the tokens before are decoded, too.
std::string TextStream::text_of_pending() const {
  const std::string before = model_->decode(before_, false);
  std::vector<std::int64_t> tokens = before_;
  tokens.insert(tokens.end(), pending_.begin(), pending_.end());
  const std::string text = model_->decode(tokens, false);
  if (text.starts_with(before)) return text.substr(before.size());
  return model_->decode(pending_, false);
}

std::string TextStream::push(std::int64_t token) {
  if (!model_->token(token) || (skip_special_tokens_ && model_->is_special(token))) return {};
  pending_.push_back(token);
  std::string text = text_of_pending();
  // It may be the beginning of a character.
  if (text.empty() || text.ends_with(replacement_character)) return {};
  before_ = std::exchange(pending_, {});
  return text;
}

std::string TextStream::finish() {
  std::string text = text_of_pending();
  before_.clear();
  pending_.clear();
  return text;
}

}  // namespace mithril
