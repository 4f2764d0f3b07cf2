// Beam search in a recurrent language model, as one compiled model of two loops. A small network
// learns sequences of a random process of second order. The search keeps the `width` most probable
// beginnings at each step, in a loop with the scores, tokens and hidden states of all beams as
// carries. A second loop follows the parents of the best one back to the start. The program prints
// the log probabilities that a greedy search and a beam search find and the best one of all
// sequences, and fails if the beam search misses that one.
// examples/python/beam_search.py is the same program. Usage: beam_search
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mithril/mithril.hpp"

namespace ml = mithril;

namespace {

constexpr int64_t tokens = 6, hidden = 32, length = 6, start = 0;

// The bindings of a cell or a loop: `ports`, and each weight to the key of its own name.
ml::Bindings with_weights(ml::Bindings ports) {
  for (const char* key : {"w_token", "w_hidden", "b_hidden", "w_out", "b_out"})
    ports.emplace_back(key, key);
  return ports;
}

// One step: token [N] and h [N, hidden] to log_p [N, tokens] and h_next.
ml::Model compose_cell() {
  ml::Model cell;
  cell |= ml::Embedding({.num_embeddings = tokens, .dim = hidden})(
      {{"input", "token"}, {"weight", "w_token"}, {"output", "from_token"}});
  cell |= ml::Linear({.dimension = hidden})(
      {{"input", "h"}, {"weight", "w_hidden"}, {"bias", "b_hidden"}, {"output", "from_h"}});
  cell |= ml::Tanh()({{"input", cell["from_token"] + cell["from_h"]}, {"output", "h_next"}});
  cell |= ml::Linear({.dimension = tokens})(
      {{"input", "h_next"}, {"weight", "w_out"}, {"bias", "b_out"}, {"output", "logits"}});
  cell |= ml::LogSoftmax()({{"input", "logits"}, {"output", "log_p"}});
  return cell;
}

// The log probability of each token of a batch [length, N].
ml::Model compose_scores() {
  ml::Model step;
  step |= compose_cell()(
      with_weights({{"token", "token"}, {"h", "h"}, {"log_p", "log_p"}, {"h_next", "h_next"}}));
  const ml::Connection next = step.add_input("next").at({ml::ellipsis, ml::none});
  step |=
      ml::TakeAlongAxis({.axis = 1})({{"input", "log_p"}, {"index", next}, {"output", "chosen"}});
  step |= ml::Squeeze({.axis = 1})({{"input", "chosen"}, {"output", "score"}});
  return ml::Scan(
      step, {.carry = {{"h", "h_next"}}, .sequences = {"token", "next"}, .outputs = {"score"}});
}

// A model of the best sequence [length] and its log probability.
ml::Model compose_search(int64_t width) {
  ml::Model step;
  step |= compose_cell()(
      with_weights({{"token", "token"}, {"h", "h"}, {"log_p", "log_p"}, {"h_next", "h_all"}}));
  const ml::Connection score = step.add_input("score").at({ml::ellipsis, ml::none});
  const ml::Connection scores = (score + step["log_p"]).reshape({width * tokens});
  step |=
      ml::TopK({.k = width})({{"input", scores}, {"values", "score_next"}, {"indices", "chosen"}});
  step |=
      ml::FloorDivide()({{"numerator", "chosen"}, {"denominator", tokens}, {"output", "parent"}});
  step |= ml::Buffer()({{"input", step["chosen"] % tokens}, {"output", "token_next"}});
  step |= ml::Gather()({{"input", "h_all"}, {"index", "parent"}, {"output", "h_next"}});
  const ml::Model forward =
      ml::Scan(step, {.carry = {{"h", "h_next"}, {"token", "token_next"}, {"score", "score_next"}},
                      .outputs = {"parent", "token_next"},
                      .length = length});
  ml::Model back;
  back |= ml::Gather()({{"input", "tokens"}, {"index", "beam"}, {"output", "token"}});
  back |= ml::Gather()({{"input", "parents"}, {"index", "beam"}, {"output", "before"}});
  const ml::Model follow = ml::Scan(back, {.carry = {{"beam", "before"}},
                                           .sequences = {"tokens", "parents"},
                                           .outputs = {"token"},
                                           .reverse = true});
  ml::Model search;
  search |= forward(with_weights({{"h", "h"},
                                  {"token", "token"},
                                  {"score", "score"},
                                  {"score_last", "scores"},
                                  {"token_next", "tokens"},
                                  {"parent", "parents"}}));
  search |= follow({{"beam", ml::Tensor::scalar<int64_t>(0)},
                    {"tokens", "tokens"},
                    {"parents", "parents"},
                    {"token", "best"}});
  search |= ml::Buffer()({{"input", search["scores"][0]}, {"output", "log_p"}});
  return search;
}

// The process: the probabilities of the next token after the last two.
struct Process {
  explicit Process(std::mt19937_64& random) {
    std::gamma_distribution<double> gamma(0.5);
    for (auto& after_one : table) {
      for (auto& weights : after_one) {
        for (double& weight : weights) weight = gamma(random);
      }
    }
  }
  // Sequences [length + 1, count], each of which begins with `start`.
  std::vector<int64_t> sample(std::mt19937_64& random, int64_t count) const {
    const auto columns = static_cast<size_t>(count);
    std::vector<int64_t> sequences((length + 1) * columns, start);
    for (size_t at = columns; at < sequences.size(); ++at) {
      const auto last = static_cast<size_t>(sequences[at - columns]);
      const size_t two_before = at < 2 * columns ? at % columns : at - 2 * columns;
      const auto& weights = table[static_cast<size_t>(sequences[two_before])][last];
      sequences[at] = std::discrete_distribution<int64_t>(weights.begin(), weights.end())(random);
    }
    return sequences;
  }

  std::array<std::array<std::array<double, tokens>, tokens>, tokens> table{};
};

ml::TensorMap data_of(const std::vector<int64_t>& sequences) {
  const auto count = static_cast<int64_t>(sequences.size()) / (length + 1);
  const std::vector<int64_t> token(sequences.begin(), sequences.end() - count);
  const std::vector<int64_t> next(sequences.begin() + count, sequences.end());
  return {{"token", ml::Tensor::of({length, count}, token)},
          {"next", ml::Tensor::of({length, count}, next)},
          {"h", ml::Tensor::zeros({count, hidden})}};
}

ml::CompileOptions any_count() {
  return {.shapes = {
              {"token", {length, ml::any}}, {"next", {length, ml::any}}, {"h", {ml::any, hidden}}}};
}

ml::TensorMap learn() {
  std::mt19937_64 random(5);
  const Process process(random);
  ml::TrainModel train(compose_scores());
  train.add_loss(ml::Buffer(), {{"input", "score"}}, {.reduce_steps = {ml::Mean()}, .coef = -1.0});
  const auto compiled = ml::compile(train, ml::cpu(), any_count());
  ml::TensorMap params = compiled.get_parameters(0);
  ml::Adam optimizer({.lr = 1e-2});
  ml::TrainingStep step(compiled, optimizer);
  for (int number = 0; number <= 400; ++number) {
    const double loss = step(params, data_of(process.sample(random, 256))).at("final_cost").item();
    if (number % 100 == 0) std::printf("step %3d: loss %.3f\n", number, loss);
  }
  return params;
}

void print(const char* name, const std::vector<int64_t>& sequence, double log_p) {
  std::printf("%-12s", name);
  for (const int64_t token : sequence) std::printf(" %lld", static_cast<long long>(token));
  std::printf("  %.4f\n", log_p);
}

double search(const ml::TensorMap& params, int64_t width, const char* name) {
  const auto compiled =
      ml::compile(compose_search(width), ml::cpu(),
                  {.shapes = {{"h", {width, hidden}}, {"token", {width}}, {"score", {width}}},
                   .inference = true});
  std::vector<float> scores(static_cast<size_t>(width), -1e9F);  // all but the first are copies
  scores[0] = 0;
  const ml::TensorMap found =
      compiled.infer(params, {{"h", ml::Tensor::zeros({width, hidden})},
                              {"token", ml::Tensor::full(ml::DType::int64, {width}, start)},
                              {"score", ml::Tensor::of({width}, scores)}});
  const int64_t* best = found.at("best").data<int64_t>();
  const double log_p = found.at("log_p").item();
  print(name, {best, best + length}, log_p);
  return log_p;
}

// Scores all sequences.
double search_all(const ml::TensorMap& params) {
  int64_t count = 1;
  for (int64_t t = 0; t < length; ++t) count *= tokens;
  std::vector<int64_t> every(static_cast<size_t>(count), start);
  for (int64_t t = 0, unit = count; t < length; ++t) {
    unit /= tokens;
    for (int64_t i = 0; i < count; ++i) every.push_back(i / unit % tokens);
  }
  ml::CompileOptions options = any_count();
  options.inference = true;
  const ml::Tensor scores =
      ml::compile(compose_scores(), ml::cpu(), options).infer(params, data_of(every)).at("score");
  std::vector<double> log_p(static_cast<size_t>(count));
  for (int64_t i = 0; i < length * count; ++i)
    log_p[static_cast<size_t>(i % count)] += scores.at_as_double(i);
  const auto best = std::max_element(log_p.begin(), log_p.end());
  std::vector<int64_t> sequence;
  for (int64_t t = 1; t <= length; ++t)
    sequence.push_back(every[static_cast<size_t>(t * count + (best - log_p.begin()))]);
  print("best of all:", sequence, *best);
  return *best;
}

}  // namespace

int main() try {
  const ml::TensorMap params = learn();
  const double greedy = search(params, 1, "greedy:");
  const double beams = search(params, 16, "beam search:");
  const double best = search_all(params);
  return greedy < best + 1e-4 && std::abs(beams - best) < 1e-4 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
