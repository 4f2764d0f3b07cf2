#include "mithril/text/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "mithril/base/file_errors.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/text/piece_model.hpp"
#include "mithril/text/tokenizer_file.hpp"
#include "mithril/text/tokenizer_model.hpp"

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

TokenizerFile read_tokenizer_path(const std::string& path) {
  const std::string text = tokenizer_text(path);
  return reading(path, [&] { return read_tokenizer_file(text); });
}

TokenizerFile read_tokenizer_files(const std::string& path) {
  std::error_code unknown;  // what cannot be looked at cannot be read, either
  if (!std::filesystem::is_directory(path, unknown)) return read_tokenizer_path(path);
  const std::string whole = path + "/tokenizer.json";
  if (std::filesystem::exists(whole, unknown)) return read_tokenizer_path(whole);
  const std::string vocab_path = path + "/vocab.json", merges_path = path + "/merges.txt";
  const std::string vocab = tokenizer_text(vocab_path), merges = tokenizer_text(merges_path);
  TokenIds ids = reading(vocab_path, [&] { return read_gpt2_vocabulary(vocab); });
  const auto pairs = reading(merges_path, [&] { return read_gpt2_merges(merges, ids); });
  return gpt2_file(std::move(ids), pairs);
}

std::shared_ptr<const TokenizerModel> tokenizer_model(TokenizerFile file, std::size_t max_length) {
  if (max_length > 0) file.max_length = max_length;
  return std::make_shared<const TokenizerModel>(std::move(file));
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const TokenizerModel> model) : model_(std::move(model)) {}

Tokenizer::Tokenizer(std::string_view tokenizer_json, std::size_t max_length)
    : model_(tokenizer_model(read_tokenizer_file(tokenizer_json), max_length)) {}

Tokenizer Tokenizer::gpt2(std::string_view vocab_json, std::string_view merges_txt) {
  TokenIds ids = read_gpt2_vocabulary(vocab_json);
  const std::vector<Merge> merges = read_gpt2_merges(merges_txt, ids);
  return Tokenizer(tokenizer_model(gpt2_file(std::move(ids), merges), 0));
}

Tokenizer Tokenizer::load(const std::string& path, std::size_t max_length) {
  return Tokenizer(tokenizer_model(read_tokenizer_files(path), max_length));
}

std::vector<std::int64_t> Tokenizer::encode(std::string_view text, bool add_special_tokens) const {
  return model_->encode(text, add_special_tokens);
}

std::string Tokenizer::decode(const std::vector<std::int64_t>& tokens,
                              bool skip_special_tokens) const {
  return model_->decode(tokens, skip_special_tokens);
}

TextStream Tokenizer::stream(bool skip_special_tokens) const {
  return TextStream(model_, skip_special_tokens);
}

const std::string& Tokenizer::kind() const { return model_->file().kind; }

std::size_t Tokenizer::vocab_size() const { return model_->vocab_size(); }

std::optional<std::int64_t> Tokenizer::id(const std::string& token) const {
  return model_->id(token);
}

std::optional<std::string> Tokenizer::token(std::int64_t id) const {
  const std::string* text = model_->token(id);
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<std::int64_t> Tokenizer::added_token(const std::string& text) const {
  return model_->added_id(text);
}

std::vector<std::int64_t> Tokenizer::begin_of_text() const {
  std::vector<std::int64_t> tokens;
  for (const TokenTemplate::Part& part : model_->file().around.before) tokens.push_back(part.token);
  return tokens;
}

TensorMap Tokenizer::operator()(const std::vector<std::string>& texts) const {
  std::vector<std::vector<std::int64_t>> rows;
  std::size_t longest = 0;
  for (const std::string& text : texts) {
    rows.push_back(encode(text));
    longest = std::max(longest, rows.back().size());
  }
  const Dims dims = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(longest)};
  const TokenPadding& padding = model_->file().padding;
  std::vector<std::int64_t> ids(rows.size() * longest, padding.token);
  std::vector<std::int64_t> types(rows.size() * longest, padding.type);
  Tensor mask(DType::boolean, dims);
  bool* valid = mask.mutable_data<bool>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t size = rows[i].size();
    const std::size_t begin = i * longest + (padding.is_left ? longest - size : 0);
    const auto place = static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::int64_t> row_types = model_->token_types(size);
    std::copy(rows[i].begin(), rows[i].end(), ids.begin() + place);
    std::copy(row_types.begin(), row_types.end(), types.begin() + place);
    std::fill_n(valid + begin, size, true);
  }
  return {{"input_ids", Tensor::of<std::int64_t>(dims, ids)},
          {"token_type_ids", Tensor::of<std::int64_t>(dims, types)},
          {"attention_mask", mask}};
}

}  // namespace mithril
