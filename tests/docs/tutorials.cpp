// The tutorials show the project's own code. These tests compare the two.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file, "cannot read " << path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Block {
  std::string file;  // the last one named before it
  int line = 0;
  std::string code = {};
};

// The last `path/of/a.file` in a line of text, or `before` if there is none.
std::string file_named_in(const std::string& line, std::string before) {
  size_t open = 0;
  while ((open = line.find('`', open)) != std::string::npos) {
    const size_t close = line.find('`', open + 1);
    if (close == std::string::npos) break;
    const std::string quoted = line.substr(open + 1, close - open - 1);
    const bool is_path = quoted.find('/') != std::string::npos && quoted.find(' ') == quoted.npos;
    if (is_path) before = quoted;
    open = close + 1;
  }
  return before;
}

std::vector<Block> blocks_of(const std::string& document) {
  std::vector<Block> blocks;
  std::istringstream lines(document);
  std::string line, file;
  bool inside = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.rfind("```", 0) == 0) {
      inside = !inside;
      if (inside) blocks.push_back({file, number});
    } else if (inside) {
      blocks.back().code += line + "\n";
    } else {
      file = file_named_in(line, file);
    }
  }
  REQUIRE(!inside);
  return blocks;
}

}  // namespace

TEST_CASE("every code block of a tutorial is a verbatim part of the file named before it") {
  for (const std::string document : {"docs/add-an-op.md", "docs/add-a-layer.md",
                                     "docs/add-a-target.md", "docs/small-additions.md"}) {
    const std::vector<Block> blocks = blocks_of(contents(document));
    CHECK(blocks.size() >= 5);
    for (const Block& block : blocks) {
      INFO(document << ":" << block.line << ", of " << block.file << "\n" << block.code);
      CHECK(contents(block.file).find(block.code) != std::string::npos);
    }
  }
}
