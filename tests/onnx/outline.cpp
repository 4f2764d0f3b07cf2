// What is read of the elements of ONNX files, and when.
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "mithril/onnx/read_onnx.hpp"
#include "mithril/onnx/tensor.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;

constexpr std::int64_t count = 1 << 22;

// A product with a weight of 16 MiB, `shift` bytes further in the file.
std::string product_file(std::size_t shift) {
  const tests::OnnxGraph graph = {
      .nodes = {tests::onnx_node("Mul", {"x", "w"}, {"y"})},
      .initializers = {tests::onnx_floats("w", {count}, std::vector<float>(count, 2))},
      .inputs = {tests::onnx_value("x", {count})},
      .outputs = {tests::onnx_value("y", {count})}};
  // A field that Mithril does not read.
  return tests::OnnxMessage().text(2, std::string(shift, 'x')).bytes() +
         tests::onnx_file(graph.bytes());
}

// The pages of the file that this process has in memory, by /proc/self/smaps.
int resident_kilobytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  int total = 0;
  bool is_of_file = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_of_file = line.ends_with(path);
    if (is_of_file && line.starts_with("Rss:")) total += std::stoi(line.substr(4));
  }
  return total;
}

}  // namespace

TEST_CASE("onnx: elements are read when a tensor is used, also those that are copied") {
  const FileFolder folder;
  int copied = 0;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const std::string path = folder.write("net.onnx", product_file(shift));
    const onnx::FileRecord file = onnx::read_file(path);
    const onnx::KnownTensor w = onnx::read_tensor(file.graph.initializers.front(), file, "w");
    CHECK(w.dims() == Dims{count});
    CHECK(w.bytes() == 4 * count);
    CHECK(resident_kilobytes(path) < 8192);  // the system maps 2 MiB around what is read
    const onnx::KnownTensor shared = w;
    CHECK(w->values<float>()[count - 1] == 2);
    CHECK(shared->raw_data() == w->raw_data());
    copied += w->is_borrowed() ? 0 : 1;
  }
  CHECK(copied == 3);
}

TEST_CASE("onnx: an outline has the model and the dims of the parameters") {
  const FileFolder folder;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const std::string path = folder.write("net.onnx", product_file(shift));
    const OnnxModel net = read_onnx(path);
    const OnnxOutline outline = outline_onnx(path);
    CHECK(outline.model.input_keys() == net.model.input_keys());
    CHECK(outline.model.output_keys() == net.model.output_keys());
    CHECK(outline.parameters == std::map<std::string, Dims>{{"w", {count}}});
  }
}

}  // namespace mithril
