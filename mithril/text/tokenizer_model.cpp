#include "mithril/text/tokenizer_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "mithril/text/utf8.hpp"

namespace mithril {

TokenizerModel::TokenizerModel(TokenizerFile file) : file_(std::move(file)) {
  const TokenIds& vocabulary = *file_.model.vocabulary;
  for (const auto& [text, id] : vocabulary) tokens_[id] = text;
  size_ = vocabulary.size();
  std::vector<AddedToken> plain, normalized;
  for (AddedToken token : file_.added) {
    added_[token.text] = token.id;
    if (!vocabulary.contains(token.text)) ++size_;
    if (token.is_special) special_.insert(token.id);
    if (token.is_normalized) file_.normalizer(token.text);
    tokens_[token.id] = token.text;
    (token.is_normalized ? normalized : plain).push_back(std::move(token));
  }
  in_text_ = AddedTokens(plain);
  in_normalized_text_ = AddedTokens(normalized);
}

std::optional<int64_t> TokenizerModel::added_id(const std::string& token) const {
  const auto found = added_.find(token);
  return found == added_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int64_t> TokenizerModel::id(const std::string& token) const {
  if (const auto added = added_id(token)) return added;
  const auto found = file_.model.vocabulary->find(token);
  return found == file_.model.vocabulary->end() ? std::nullopt : std::optional(found->second);
}

const std::string* TokenizerModel::token(int64_t id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

void TokenizerModel::encode_part(std::string_view text, bool is_first, size_t most,
                                 std::vector<int64_t>& tokens) const {
  for (const TextWord& word : file_.pre_tokenizer({std::string(text), is_first})) {
    if (tokens.size() >= most) return;
    file_.model.encode(word.text, tokens);
  }
}

std::vector<int64_t> TokenizerModel::text_tokens(std::string_view text, size_t most) const {
  std::vector<int64_t> tokens;
  bool is_first = true;
  const std::string valid = valid_utf8(text);
  for (const TextPart& part : in_text_.split(valid)) {
    if (tokens.size() >= most) break;
    if (part.token) {
      tokens.push_back(*part.token);
      is_first = false;
      continue;
    }
    std::string normal(part.text);
    file_.normalizer(normal);
    for (const TextPart& rest : in_normalized_text_.split(normal)) {
      if (rest.token) {
        tokens.push_back(*rest.token);
      } else {
        encode_part(rest.text, is_first, most, tokens);
      }
      is_first = false;
    }
    is_first = false;
  }
  return tokens;
}

std::vector<int64_t> TokenizerModel::encode(std::string_view text, bool add_special_tokens) const {
  const TokenTemplate& around = file_.around;
  const size_t added = add_special_tokens ? around.size() : 0;
  size_t most = std::numeric_limits<size_t>::max();
  if (file_.max_length > 0) most = file_.max_length > added ? file_.max_length - added : 0;
  std::vector<int64_t> tokens =
      text_tokens(text, file_.keeps_end ? std::numeric_limits<size_t>::max() : most);
  if (tokens.size() > most && file_.keeps_end)
    tokens.erase(tokens.begin(), tokens.end() - static_cast<std::ptrdiff_t>(most));
  tokens.resize(std::min(tokens.size(), most));
  if (!add_special_tokens) return tokens;
  std::vector<int64_t> all;
  for (const auto& part : around.before) all.push_back(part.token);
  all.insert(all.end(), tokens.begin(), tokens.end());
  for (const auto& part : around.after) all.push_back(part.token);
  return all;
}

std::vector<int64_t> TokenizerModel::token_types(size_t count) const {
  const TokenTemplate& around = file_.around;
  std::vector<int64_t> types;
  for (const auto& part : around.before) types.push_back(part.type);
  types.resize(std::max(count - around.after.size(), types.size()), around.type);
  for (const auto& part : around.after) types.push_back(part.type);
  return types;
}

std::string TokenizerModel::decode(const std::vector<int64_t>& tokens,
                                   bool skip_special_tokens) const {
  std::vector<std::string> texts;
  for (const int64_t id : tokens) {
    const std::string* text = token(id);
    if (text && !(skip_special_tokens && is_special(id))) texts.push_back(*text);
  }
  file_.decoder(texts);
  std::string whole;
  for (const std::string& text : texts) whole += text;
  return whole;
}

}  // namespace mithril
