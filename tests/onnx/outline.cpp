// The first use of an ONNX initializer reads its elements.
#include <doctest/doctest.h>

#include <string>

#include "mithril/onnx/read_onnx.hpp"
#include "mithril/onnx/tensor.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;

constexpr std::int64_t weight_size = 1 << 22;

// A product with a weight of 16 MiB, `shift` bytes further in the file.
std::string product_file(std::size_t shift) {
  const tests::OnnxGraph graph = {
      .nodes = {tests::onnx_node("Mul", {"x", "w"}, {"y"})},
      .initializers = {tests::onnx_floats("w", {weight_size}, std::vector<float>(weight_size, 2))},
      .inputs = {tests::onnx_value("x", {weight_size})},
      .outputs = {tests::onnx_value("y", {weight_size})}};
  // A field that Mithril does not read.
  return tests::OnnxMessage().text(2, std::string(shift, 'x')).bytes() +
         tests::onnx_file(graph.bytes());
}

}  // namespace

TEST_CASE("onnx: elements are read when a tensor is used, also those that are copied") {
  const FileFolder folder;
  int copied = 0;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const std::string path = folder.write("net.onnx", product_file(shift));
    const onnx::FileRecord file = onnx::read_file(path);
    const onnx::KnownTensor w = onnx::read_tensor(file.graph.initializers.front(), file, "w");
    CHECK(w.dims() == Dims{weight_size});
    CHECK(w.bytes() == 4 * weight_size);
    CHECK(tests::resident_kilobytes(path) < 8192);  // the kernel maps up to 2 MiB around each page
    const onnx::KnownTensor shared = w;
    CHECK(w->values<float>()[weight_size - 1] == 2);
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
    CHECK(outline.parameters == std::map<std::string, Dims>{{"w", {weight_size}}});
  }
}

}  // namespace mithril
