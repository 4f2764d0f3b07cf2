#include "mithril/text/text_stream.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "mithril/text/tokenizer_model.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

// A stream settles half of its pending tokens when their number is this one times a power of two.
// Each half has more bytes than a character.
constexpr std::size_t many_tokens = 16;

}  // namespace

TextStream::TextStream(std::shared_ptr<const TokenizerModel> model, bool skip_special_tokens)
    : model_(std::move(model)), skip_special_tokens_(skip_special_tokens) {}

// Decoders treat the first token of a text in their own way, so the tokens before are decoded, too.
std::string TextStream::text_after(const Tokens& before, const Tokens& tokens) const {
  const std::string start = model_->decode(before, false);
  Tokens all = before;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string text = model_->decode(all, false);
  if (text.starts_with(start)) return text.substr(start.size());
  return model_->decode(tokens, false);
}

// Settles the text of the first half of the pending tokens, so that a long run of bytes that are
// not UTF-8 is not decoded again with each token. `text` is that of the pending tokens. The tokens
// before the second half are the first half, or those before it, which may have made the run
// invalid.
void TextStream::settle(const std::string& text) {
  if (pending_.size() < many_tokens || !std::has_single_bit(pending_.size())) return;
  const auto middle = pending_.begin() + static_cast<std::ptrdiff_t>(pending_.size() / 2);
  const Tokens first(pending_.begin(), middle), second(middle, pending_.end());
  const std::string done = text_after(before_, first);
  if (!text.starts_with(done)) return;
  const std::string rest = text.substr(done.size());
  const bool follows_first = text_after(first, second) == rest;
  if (!follows_first && text_after(before_, second) != rest) return;
  if (follows_first) before_ = first;
  settled_ += done;
  pending_ = second;
}

std::string TextStream::push(std::int64_t token) {
  if (!model_->token(token) || (skip_special_tokens_ && model_->is_special(token))) return {};
  pending_.push_back(token);
  const std::string text = text_after(before_, pending_);
  // It may be the beginning of a character.
  if (text.empty() || text.ends_with(replacement_character)) {
    settle(text);
    return {};
  }
  before_ = std::exchange(pending_, {});
  return std::exchange(settled_, {}) + text;
}

std::string TextStream::finish() {
  const std::string text = text_after(before_, pending_);
  before_.clear();
  pending_.clear();
  return std::exchange(settled_, {}) + text;
}

}  // namespace mithril
