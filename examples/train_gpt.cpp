// Trains a small GPT-2 from scratch on the documents of this project, byte by byte.
// examples/python/train_gpt.py trains the same model by torch.optim, with the same losses.
// Usage: train_gpt [STEPS [FOLDER]]
// On several processes: torchrun --no-python --nproc-per-node 2 train_gpt
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "models/gpt2.hpp"

namespace {

namespace ml = mithril;

constexpr int64_t rows = 8, length = 64, bytes = 256;

// The Markdown files of the folder, in the order of their names.
std::string read_text(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

// Windows of the text, and the byte that follows each of their bytes.
ml::TensorMap batch_of(const std::string& text, int64_t step) {
  ml::Tensor ids(ml::DType::int64, {rows, length}), targets(ml::DType::int64, {rows, length});
  int64_t* id = ids.mutable_data<int64_t>();
  int64_t* target = targets.mutable_data<int64_t>();
  const int64_t windows = static_cast<int64_t>(text.size()) - length;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t start = (step * rows + row) * 7919 % windows;
    for (int64_t i = start; i < start + length; ++i) {
      *id++ = static_cast<unsigned char>(text[static_cast<size_t>(i)]);
      *target++ = static_cast<unsigned char>(text[static_cast<size_t>(i) + 1]);
    }
  }
  return {{"input_ids", ids},
          {"attention_mask", ml::Tensor::full(ml::DType::boolean, {rows, length}, 1)},
          {"targets", targets}};
}

ml::CompiledModel make_model(const std::shared_ptr<ml::Communicator>& group) {
  const gpt2::Config config = {
      .vocab_size = bytes, .n_positions = length, .n_embd = 64, .n_layer = 2, .n_head = 4};
  ml::Model net;
  net |= gpt2::model(config)(
      {{"input_ids", "input_ids"}, {"attention_mask", "attention_mask"}, {"logits", "logits"}});
  net |= ml::Reshape({.shape = {-1, bytes}})({{"input", "logits"}, {"output", "scores"}});
  net |= ml::Reshape({.shape = {-1}})({{"input", "targets"}, {"output", "next_bytes"}});
  ml::TrainModel train(net);
  train.add_loss(ml::CrossEntropy(), {{"input", "scores"}, {"target", "next_bytes"}});
  return ml::compile(train, ml::cpu(),
                     {.shapes = {{"input_ids", {ml::any, length}}, {"targets", {ml::any, length}}},
                      .group = group});
}

}  // namespace

int main(int argc, char** argv) try {
  const int64_t steps = argc > 1 ? std::atoll(argv[1]) : 200;
  const std::string text = read_text(argc > 2 ? argv[2] : "docs");
  const std::shared_ptr<ml::Communicator> group = ml::distributed::init();
  const ml::CompiledModel compiled = make_model(group);
  auto params = compiled.get_parameters();
  ml::AdamW optimizer({.lr = 1e-3});
  ml::TrainingStep step(compiled, optimizer, {.max_norm = 1.0});
  for (int64_t i = 0; i < steps; ++i) {
    const ml::TensorMap part = ml::rows_of_process(compiled, batch_of(text, i));
    const double loss = step(params, part).at("final_cost").item();
    if (group->rank() > 0) continue;
    std::printf("step %lld  loss %.6f\n", static_cast<long long>(i + 1), loss);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
