#include "mithril/text/text_stream.hpp"

#include <utility>

#include "mithril/text/byte_pair_model.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

std::string replacement_characters(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += replacement_character;
  return text;
}

}  // namespace

TextStream::TextStream(std::shared_ptr<const BytePairModel> model)
    : model_(std::move(model)), spaces_to_strip_(model_->decoder().stripped_spaces) {}

std::string TextStream::complete_characters() {
  const bool is_byte_level = model_->decoder().is_byte_level;
  std::string text;
  while (!bytes_.empty()) {
    const CharacterBytes first = first_character_bytes(bytes_);
    const bool is_invalid = first.state == CharacterBytes::State::invalid;
    if (is_invalid_run_ || (is_invalid && !is_byte_level)) {
      is_invalid_run_ = true;
      return text + end_of_run();
    }
    if (first.state == CharacterBytes::State::cut) break;
    text += is_invalid ? replacement_character : std::string_view(bytes_).substr(0, first.bytes);
    bytes_.erase(0, first.bytes);
  }
  return text;
}

// Of bytes that will not be completed. A tokenizer of bytes counts the beginning of a character as
// one.
std::string TextStream::end_of_run() {
  const size_t count = model_->decoder().is_byte_level ? (bytes_.empty() ? 0 : 1) : bytes_.size();
  bytes_.clear();
  return replacement_characters(count);
}

std::string TextStream::stripped(std::string_view text) {
  while (spaces_to_strip_ > 0 && !text.empty()) {
    if (text[0] != ' ') {
      spaces_to_strip_ = 0;
      break;
    }
    text.remove_prefix(1);
    --spaces_to_strip_;
  }
  return std::string(text);
}

std::string TextStream::next(std::int64_t token) {
  const BytePairModel::Piece* const piece = model_->piece(token);
  if (!piece) return {};
  if (piece->is_byte || model_->decoder().is_byte_level) {
    bytes_ += piece->text;
    return stripped(complete_characters());
  }
  const std::string text = end_of_run() + piece->text;
  is_invalid_run_ = false;
  return stripped(text);
}

std::string TextStream::rest() { return stripped(end_of_run()); }

}  // namespace mithril
