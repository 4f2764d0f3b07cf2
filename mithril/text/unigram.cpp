#include "mithril/text/unigram.hpp"

#include <algorithm>
#include <utility>

#include "mithril/text/byte_tokens.hpp"
#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {

Unigram::Unigram(std::shared_ptr<const TokenIds> vocabulary, std::vector<double> scores,
                 UnigramOptions options)
    : vocabulary_(std::move(vocabulary)),
      pieces_(*vocabulary_),
      scores_(std::move(scores)),
      options_(options) {
  constexpr double penalty = 10;
  if (!scores_.empty())
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - penalty;
  if (options_.byte_fallback) bytes_ = byte_tokens(*vocabulary_);
}

int64_t Unigram::unknown_token() const {
  if (!options_.unknown) lacks_unknown("/model/unk_id", "null");
  return *options_.unknown;
}

std::vector<Unigram::Step> Unigram::best_steps(std::string_view word) const {
  std::vector<Step> steps(word.size() + 1);
  const auto offer = [&](size_t begin, size_t bytes, double score, int64_t token) {
    Step& step = steps[begin + bytes];
    const double total = score + steps[begin].score;
    if (!step.is_reached || total > step.score) step = {true, total, begin, token};
  };
  for (size_t at = 0; at < word.size();) {
    const size_t bytes = character_bytes(word[at]);
    bool has_character = false;
    for (const Vocabulary::Piece* piece : pieces_.beginnings(word.substr(at))) {
      offer(at, piece->first.size(), scores_[static_cast<size_t>(piece->second)], piece->second);
      has_character = has_character || piece->first.size() == bytes;
    }
    if (!has_character) offer(at, bytes, unknown_score_, unknown_token());
    at += bytes;
  }
  return steps;
}

void Unigram::append_unknown(std::string_view text, std::vector<int64_t>& tokens) const {
  if (const auto known = vocabulary_->find(std::string(text)); known != vocabulary_->end())
    return tokens.push_back(known->second);
  if (!append_byte_tokens(bytes_, text, tokens)) tokens.push_back(unknown_token());
}

void Unigram::encode(std::string_view word, std::vector<int64_t>& tokens) const {
  const std::vector<Step> steps = best_steps(word);
  std::vector<std::pair<size_t, const Step*>> path;  // from right to left: the end, and the step
  for (size_t end = word.size(); end > 0; end = steps[end].begin)
    path.emplace_back(end, &steps[end]);
  const auto is_unknown = [&](const Step& step) { return step.token == options_.unknown; };
  for (auto at = path.rbegin(); at != path.rend();) {
    const size_t begin = at->second->begin;
    if (!is_unknown(*at->second)) {
      tokens.push_back(at->second->token);
      ++at;
      continue;
    }
    size_t end = begin;
    for (; at != path.rend() && is_unknown(*at->second); ++at) end = at->first;
    append_unknown(word.substr(begin, end - begin), tokens);
  }
}

}  // namespace mithril
