// Changes ONNX files of any size, and reads the results: fuzz_onnx_files COUNT SEED FAULT FILE...
// Prints how many files were read, and how many had each error. An input that is a fault ends the
// process, and is then the file FAULT.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "tests/fuzz/mutate_message.hpp"
#include "tests/fuzz/onnx_input.hpp"

namespace {

using namespace mithril;

std::string bytes_of_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Sets, inserts and removes single bytes.
std::string changed_bytes(std::string_view bytes, fuzz::Random& random) {
  std::string made(bytes);
  const auto at = [&] { return made.empty() ? 0 : random() % made.size(); };
  const auto byte = [&] { return static_cast<char>(random() >> 8); };
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    switch (random() % 4) {
      case 0:
        made.insert(at(), 1, byte());
        break;
      case 1:
        if (!made.empty()) made.erase(at(), 1 + random() % 8);
        break;
      default:
        if (!made.empty()) made[at()] = byte();
    }
  }
  return made;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 5) throw std::runtime_error("usage: fuzz_onnx_files COUNT SEED FAULT FILE...");
  const long inputs = std::atol(arguments[1]);
  fuzz::Random random(static_cast<unsigned>(std::atol(arguments[2])));
  const std::string fault = arguments[3];
  const fuzz::ChangeBytes change = [&](std::string_view bytes) {
    return changed_bytes(bytes, random);
  };
  std::map<std::string, long> outcomes;
  const int files = count - 4;
  std::string before = bytes_of_file(arguments[count - 1]);
  for (int i = 0; i < files; ++i) {
    const std::string file = bytes_of_file(arguments[4 + i]);
    for (long input = inputs * i / files; input < inputs * (i + 1) / files; ++input) {
      std::string made = file;
      for (auto changes = 1 + random() % 3; changes > 0; --changes)
        made = fuzz::mutated_message(made, before, random, change);
      write_file(fault, made);
      ++outcomes[fuzz::check_onnx(reinterpret_cast<const std::uint8_t*>(made.data()), made.size())];
    }
    before = file;
  }
  std::remove(fault.c_str());
  for (const auto& [outcome, times] : outcomes) std::printf("%s: %ld\n", outcome.c_str(), times);
  std::printf("%ld inputs of %d files\n", inputs, files);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
