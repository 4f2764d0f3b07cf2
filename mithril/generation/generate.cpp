#include "mithril/generation/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/compile/inference_program.hpp"
#include "mithril/generation/sampling.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

template <typename Number>
void require_of_generate(bool holds, const char* option, Number got, const char* expected) {
  if (holds) return;
  raise({.kind = ErrorKind::value,
         .code = "E0406",
         .message = fmt::format("generate: {} is {}, expected {}", option, got, expected)});
}

[[noreturn]] void refuse_input(const char* code, std::string message, std::string help = {}) {
  raise({.kind = ErrorKind::input,
         .code = code,
         .message = std::move(message),
         .help = std::move(help)});
}

std::string listed_names(const std::vector<ProgramPort>& ports) {
  return ports.empty() ? "none" : join(names_of(ports), ", ");
}

// The number of tokens that the model knows; none if it is not known before it runs.
std::optional<std::int64_t> vocabulary_size(const InferenceProgram& program) {
  const ProgramPort* logits = port_named(program.outputs(), "logits");
  if (!logits || !logits->sizes || logits->sizes->size() != 3) return std::nullopt;
  return logits->sizes->back().number;
}

struct Table {
  std::string name, index;  // the tensors whose rows are taken, and their numbers
  std::int64_t rows;
};

// The table whose rows the node that makes the value gathers; none if it is another op.
std::optional<Table> find_table(const InferenceProgram& program, const std::string& made) {
  const Graph& graph = program.graph();
  const auto& nodes = graph.nodes();
  const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const Node& candidate) {
    return candidate.op->name == "gather" && graph.value(candidate.outputs.front()).name == made;
  });
  if (node == nodes.end()) return std::nullopt;
  const auto *table = std::get_if<ValueId>(&node->arguments[0]),
             *index = std::get_if<ValueId>(&node->arguments[1]);
  if (!table || !index) return std::nullopt;
  const std::optional<ProgramSize> rows = program.size(*table, 0);
  if (!rows || !rows->number) return std::nullopt;
  return Table{graph.value(*table).name, graph.value(*index).name, *rows->number};
}

// The texts of a call of `generate`, and the model that continues them.
class Generation {
 public:
  Generation(const CompiledModel& model, const TensorMap& params,
             const std::vector<Tokens>& prompts, const GenerateOptions& options)
      : program_(model), params_(params), prompts_(prompts), options_(options) {
    check_model();
    check_prompts();
    state_ = program_.initial_state();
    if (const Tensor* cached = find_cached_tokens()) check_limit(cached->dims()[1]);
    for (size_t i = 0; i < prompts_.size(); ++i)
      random_.emplace_back(options_.seed, std::to_string(i));
  }

  std::vector<Tokens> run() {
    const bool has_cache = find_cached_tokens() != nullptr;
    std::vector<Tokens> made(prompts_.size());
    std::vector<bool> ended(prompts_.size());
    std::vector<Tokens> texts = padded();
    size_t evaluated = 0;  // the tokens of each text that are in the cache
    for (std::int64_t count = 0; count < options_.max_tokens; ++count) {
      const Tensor logits = next_logits(texts, evaluated);
      if (has_cache) evaluated = texts.front().size();
      for (size_t i = 0; i < texts.size(); ++i) {
        texts[i].push_back(0);
        if (ended[i]) continue;
        const std::int64_t token = choose(logits, i);
        if (std::count(options_.stop.begin(), options_.stop.end(), token) > 0) {
          ended[i] = true;
          continue;
        }
        texts[i].back() = token;
        made[i].push_back(token);
        if (options_.stream) options_.stream(i, token);
      }
      if (std::all_of(ended.begin(), ended.end(), [](bool end) { return end; })) break;
    }
    return made;
  }

 private:
  void check_model() const {
    if (takes("input_ids") && port_named(program_.outputs(), "logits")) return;
    raise({.kind = ErrorKind::input,
           .code = "E0850",
           .message = "generate needs a model with the input 'input_ids' and the output 'logits'",
           .facts = {{"inputs", listed_names(program_.inputs())},
                     {"outputs", listed_names(program_.outputs())}}});
  }

  bool takes(const char* input) const { return port_named(program_.inputs(), input) != nullptr; }

  // The state of CachePositions; null without a cache.
  const Tensor* find_cached_tokens() const {
    for (const ProgramPort& port : program_.states()) {
      const bool is_named = port.path == "cached_tokens" || port.path.ends_with(".cached_tokens");
      const Tensor& tokens = state_.at(port.name);
      if (is_named && tokens.rank() == 2) return &tokens;
    }
    return nullptr;
  }

  void check_prompts() {
    if (prompts_.empty()) refuse_input("E0851", "generate needs at least one prompt");
    const std::optional<std::int64_t> known = vocabulary_size(program_);
    for (size_t i = 0; i < prompts_.size(); ++i) {
      const Tokens& prompt = prompts_[i];
      if (prompt.empty()) {
        refuse_input("E0851", fmt::format("prompt {} has no tokens", i),
                     "begin with the token that begins a text");
      }
      longest_ = std::max(longest_, prompt.size());
      for (size_t at = 0; at < prompt.size(); ++at) {
        if (prompt[at] >= 0 && (!known || prompt[at] < *known)) continue;
        refuse_input(
            "E0852",
            fmt::format("token {} of prompt {} is {}, expected {}", at, i, prompt[at],
                        known ? fmt::format("0 to {}", *known - 1) : std::string("at least 0")));
      }
    }
    const auto is_shorter = [&](const Tokens& prompt) { return prompt.size() < longest_; };
    if (takes("attention_mask")) return;
    if (std::none_of(prompts_.begin(), prompts_.end(), is_shorter)) return;
    refuse_input("E0854",
                 "prompts of different lengths need a model with the input 'attention_mask'",
                 "generate for one prompt at a time");
  }

  // The last new token is not evaluated.
  void check_limit(std::int64_t limit) const {
    const auto length = static_cast<std::int64_t>(longest_);
    if (length <= limit && options_.max_tokens - 1 <= limit - length) return;
    refuse_input(
        "E0853",
        length > limit
            ? fmt::format("a prompt has {} tokens, and the cache has {} rows", length, limit)
            : fmt::format("a prompt of {} tokens and {} new tokens need {} rows, and the "
                          "cache has {}",
                          length, options_.max_tokens, length + options_.max_tokens - 1, limit),
        "compose the model with a larger limit, or shorten the prompt or max_tokens");
  }

  std::vector<Tokens> padded() const {
    std::vector<Tokens> texts;
    for (const Tokens& prompt : prompts_) {
      texts.emplace_back(longest_ - prompt.size(), 0);
      texts.back().insert(texts.back().end(), prompt.begin(), prompt.end());
    }
    return texts;
  }

  // Evaluates the tokens from `first` on: [N, 1, V] of float64.
  Tensor next_logits(const std::vector<Tokens>& texts, size_t first) {
    const size_t length = texts.front().size() - first;
    const Dims dims{std::ssize(texts), static_cast<std::int64_t>(length)};
    Tensor ids = Tensor::empty(DType::int64, dims), mask = Tensor::empty(DType::boolean, dims);
    auto* id = ids.mutable_data<std::int64_t>();
    auto* is_token = mask.mutable_data<bool>();
    for (size_t i = 0; i < texts.size(); ++i) {
      for (size_t at = first; at < texts[i].size(); ++at) {
        *id++ = texts[i][at];
        *is_token++ = at >= longest_ - prompts_[i].size();
      }
    }
    TensorMap data{{"input_ids", ids}};
    if (takes("attention_mask")) data["attention_mask"] = mask;
    const TensorMap outputs = run(program_.check(params_, data), texts.front().size());
    const Tensor& logits = outputs.at("logits");
    return slice(logits, 1, -1, logits.dims()[1]).to(DType::float64);
  }

  TensorMap run(const std::vector<Tensor>& inputs, size_t length) {
    try {
      return program_.run(inputs, state_);
    } catch (const Error& error) {
      check_positions(error, length);
      throw;
    }
  }

  // Ids are in range: an index that is not is the position of a token, in a table of the model.
  void check_positions(const Error& error, size_t length) const {
    if (error.code() != "E0402") return;
    const std::optional<Table> table = find_table(program_, error.path());
    if (!table || table->index == "input_ids") return;
    raise({.kind = ErrorKind::input,
           .code = "E0853",
           .message = fmt::format("a text of {} tokens is too long: '{}' has {} rows", length,
                                  table->name, table->rows),
           .facts = {{"cause", fmt::format("{}: {}", error.path(), error.details().message)}},
           .help = "shorten the prompt or max_tokens"});
  }

  std::int64_t choose(const Tensor& logits, size_t prompt) {
    const auto size = static_cast<size_t>(logits.dims()[2]);
    const std::span<const double> all = logits.values<double>().subspan(prompt * size, size);
    if (std::any_of(all.begin(), all.end(), [](double logit) { return std::isnan(logit); })) {
      raise({.kind = ErrorKind::value,
             .code = "E0417",
             .message = fmt::format("the logits after prompt {} contain NaN", prompt)});
    }
    return choose_token(all, {options_.temperature, options_.top_k, options_.top_p},
                        random_[prompt]);
  }

  const InferenceProgram program_;
  const TensorMap& params_;
  const std::vector<Tokens>& prompts_;
  const GenerateOptions& options_;
  size_t longest_ = 0;  // of the prompts
  std::vector<Random> random_;
  State state_;
};

}  // namespace

void GenerateOptions::check() const {
  require_of_generate(max_tokens >= 1, "max_tokens", max_tokens, "at least 1");
  require_of_generate(temperature >= 0 && std::isfinite(temperature), "temperature", temperature,
                      "at least 0");
  require_of_generate(top_k >= 0, "top_k", top_k, "at least 0");
  require_of_generate(top_p > 0 && top_p <= 1, "top_p", top_p, "above 0 and at most 1");
}

std::vector<Tokens> generate(const CompiledModel& model, const TensorMap& params,
                             const std::vector<Tokens>& prompts, const GenerateOptions& options) {
  options.check();
  const TracedCall call("generate");
  return Generation(model, params, prompts, options).run();
}

Tokens generate(const CompiledModel& model, const TensorMap& params, const Tokens& prompt,
                const GenerateOptions& options) {
  return generate(model, params, std::vector<Tokens>{prompt}, options).front();
}

}  // namespace mithril
