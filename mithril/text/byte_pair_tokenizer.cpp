#include "mithril/text/byte_pair_tokenizer.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <utility>

#include "mithril/base/file_errors.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/text/byte_pair_file.hpp"
#include "mithril/text/byte_pair_model.hpp"

namespace mithril {
namespace {

std::string tokenizer_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 4096> part{};
  while (file.read(part.data(), part.size()) || file.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) cannot_read(path, reason_of(errno));
  return text;
}

BytePairFile read_byte_pair_files(const std::string& folder) {
  const std::string path = folder + "/tokenizer.json";
  if (std::ifstream(path)) {
    const std::string text = tokenizer_text(path);
    return reading(path, [&] { return read_byte_pair_file(text); });
  }
  const std::string vocab_path = folder + "/vocab.json", merges_path = folder + "/merges.txt";
  const std::string vocab = tokenizer_text(vocab_path), merges = tokenizer_text(merges_path);
  TokenIds ids = reading(vocab_path, [&] { return read_gpt2_vocabulary(vocab); });
  auto pairs = reading(merges_path, [&] { return read_gpt2_merges(merges, ids); });
  return gpt2_file(std::move(ids), std::move(pairs));
}

BytePairFile read_gpt2_texts(std::string_view vocab_json, std::string_view merges_txt) {
  TokenIds ids = read_gpt2_vocabulary(vocab_json);
  std::vector<Merge> merges = read_gpt2_merges(merges_txt, ids);
  return gpt2_file(std::move(ids), std::move(merges));
}

}  // namespace

BytePairTokenizer::BytePairTokenizer(std::shared_ptr<const BytePairModel> model)
    : model_(std::move(model)) {}

BytePairTokenizer::BytePairTokenizer(std::string_view tokenizer_json)
    : model_(std::make_shared<BytePairModel>(read_byte_pair_file(tokenizer_json))) {}

BytePairTokenizer::BytePairTokenizer(std::string_view vocab_json, std::string_view merges_txt)
    : model_(std::make_shared<BytePairModel>(read_gpt2_texts(vocab_json, merges_txt))) {}

BytePairTokenizer BytePairTokenizer::load(const std::string& folder) {
  return BytePairTokenizer(std::make_shared<const BytePairModel>(read_byte_pair_files(folder)));
}

std::vector<std::int64_t> BytePairTokenizer::encode(std::string_view text) const {
  return model_->encode(text);
}

std::string BytePairTokenizer::decode(const std::vector<std::int64_t>& tokens) const {
  TextStream pieces = stream();
  std::string text;
  for (const std::int64_t token : tokens) text += pieces.next(token);
  text += pieces.rest();
  return text;
}

std::optional<std::int64_t> BytePairTokenizer::added_token(const std::string& text) const {
  return model_->added_token(text);
}

const std::vector<std::int64_t>& BytePairTokenizer::begin_of_text() const {
  return model_->begin_of_text();
}

}  // namespace mithril
