#include "mithril/text/byte_pairs.hpp"

#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "mithril/text/tokenizer_fields.hpp"
#include "mithril/text/utf8.hpp"

namespace mithril {
namespace {

constexpr size_t no_neighbor = static_cast<size_t>(-1);

// A token of a word, in a list from left to right.
struct PairSymbol {
  int64_t token = 0;
  size_t previous = no_neighbor, next = no_neighbor;
  bool is_merged = false;  // into the symbol before it
};

struct MergeCandidate {
  size_t rank = 0, at = 0;  // `at`: the index of the left symbol
  int64_t result = 0;

  bool operator>(const MergeCandidate& other) const {
    return std::tie(rank, at) > std::tie(other.rank, other.at);
  }
};

std::vector<PairSymbol> linked_symbols(const std::vector<int64_t>& tokens) {
  std::vector<PairSymbol> symbols(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i)
    symbols[i] = {tokens[i], i == 0 ? no_neighbor : i - 1,
                  i + 1 < tokens.size() ? i + 1 : no_neighbor};
  return symbols;
}

}  // namespace

size_t BytePairs::HashOfPair::operator()(const Pair& pair) const {
  // Tokens have fewer than 32 bits.
  return std::hash<uint64_t>()(
      (static_cast<uint64_t>(pair.left) << 32 | static_cast<uint64_t>(pair.right)) *
      0x9e3779b97f4a7c15u);
}

BytePairs::BytePairs(std::shared_ptr<const TokenIds> vocabulary, const std::vector<Merge>& merges,
                     BytePairOptions options)
    : vocabulary_(std::move(vocabulary)), options_(std::move(options)) {
  for (size_t i = 0; i < merges.size(); ++i)
    ranks_[{merges[i].left, merges[i].right}] = {i, merges[i].result};
  if (options_.byte_fallback) bytes_ = byte_tokens(*vocabulary_);
}

int64_t BytePairs::unknown_token() const {
  const auto token = vocabulary_->find(options_.unknown);
  if (token == vocabulary_->end()) lacks_unknown("/model/unk_token", options_.unknown);
  return token->second;
}

std::vector<int64_t> BytePairs::characters(std::string_view word) const {
  std::vector<int64_t> tokens;
  // A token for unknown characters is not added before the next known one: so it follows bytes that
  // follow it in the text. `tokenizers` does this, too.
  std::optional<int64_t> unknown;
  const auto add_unknown = [&] {
    if (unknown) tokens.push_back(*unknown);
    unknown.reset();
  };
  while (!word.empty()) {
    const std::string_view character = word.substr(0, first_character(word).bytes);
    word.remove_prefix(character.size());
    if (const auto known = vocabulary_->find(std::string(character)); known != vocabulary_->end()) {
      add_unknown();
      tokens.push_back(known->second);
      continue;
    }
    if (append_byte_tokens(bytes_, character, tokens) || options_.unknown.empty()) continue;
    if (!options_.fuse_unknown) add_unknown();
    unknown = unknown_token();
  }
  add_unknown();
  return tokens;
}

const BytePairs::Rank* BytePairs::rank_of(int64_t left, int64_t right) const {
  const auto found = ranks_.find({left, right});
  return found == ranks_.end() ? nullptr : &found->second;
}

void BytePairs::merge(std::vector<int64_t>& tokens) const {
  std::vector<PairSymbol> symbols = linked_symbols(tokens);
  std::priority_queue<MergeCandidate, std::vector<MergeCandidate>, std::greater<>> candidates;
  const auto consider = [&](size_t left) {
    const size_t right = left == no_neighbor ? no_neighbor : symbols[left].next;
    if (right == no_neighbor) return;
    if (const Rank* found = rank_of(symbols[left].token, symbols[right].token))
      candidates.push({found->rank, left, found->result});
  };
  for (size_t i = 0; i < symbols.size(); ++i) consider(i);
  while (!candidates.empty()) {
    const MergeCandidate best = candidates.top();
    candidates.pop();
    PairSymbol& left = symbols[best.at];
    if (left.is_merged || left.next == no_neighbor) continue;
    PairSymbol& right = symbols[left.next];
    // Merges since then may have changed the pair.
    const Rank* found = rank_of(left.token, right.token);
    if (!found || found->result != best.result) continue;
    left.token = best.result;
    left.next = right.next;
    right.is_merged = true;
    if (left.next != no_neighbor) symbols[left.next].previous = best.at;
    consider(left.previous);
    consider(best.at);
  }
  tokens.clear();
  for (const PairSymbol& symbol : symbols) {
    if (!symbol.is_merged) tokens.push_back(symbol.token);
  }
}

void BytePairs::encode(std::string_view word, std::vector<int64_t>& tokens) const {
  if (options_.ignore_merges) {
    if (const auto whole = vocabulary_->find(std::string(word)); whole != vocabulary_->end())
      return tokens.push_back(whole->second);
  }
  std::vector<int64_t> merged = characters(word);
  merge(merged);
  tokens.insert(tokens.end(), merged.begin(), merged.end());
}

}  // namespace mithril
