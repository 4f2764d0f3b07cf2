// ONNX files that are damaged, or refer to data that they must not.
#include <doctest/doctest.h>

#include <filesystem>

#include "mithril/onnx/read_onnx.hpp"
#include "tests/onnx/file_bytes.hpp"
#include "tests/serialization/files.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::OnnxGraph;
using tests::OnnxMessage;
namespace tensor_field = onnx::tensor_field;

std::string onnx_refusal(const std::string& bytes) {
  const FileFolder folder;
  const std::string path = folder.write("net.onnx", bytes);
  return folder.error([&] { read_onnx(path); });
}

// x + w, with this tensor as w.
OnnxGraph sum_with(const std::string& tensor) {
  return {.nodes = {tests::onnx_node("Add", {"x", "w"}, {"y"})},
          .initializers = {tensor},
          .inputs = {tests::onnx_value("x", {2})},
          .outputs = {tests::onnx_value("y", {2})}};
}

std::string tensor_refusal(const std::string& tensor) {
  return onnx_refusal(tests::onnx_file(sum_with(tensor).bytes()));
}

std::string nested(int depth) {
  std::string graph = OnnxGraph{}.bytes();
  for (int i = 0; i < depth; ++i) {
    graph = OnnxGraph{.nodes = {tests::onnx_node(
                          "If", {}, {}, {tests::onnx_graph_attribute("then_branch", graph)})}}
                .bytes();
  }
  return graph;
}

// A tensor of two floats in another file.
std::string external_tensor(const std::string& location, const std::string& offset) {
  OnnxMessage tensor = tests::onnx_tensor("w", {2});
  const auto add = [&](const char* key, const std::string& value) {
    tensor.text(tensor_field::external_data,
                OnnxMessage().text(onnx::entry_field::key, key).text(2, value).bytes());
  };
  add("location", location);
  add("offset", offset);
  add("length", "8");
  return tensor.number(tensor_field::data_location, 1).bytes();
}

}  // namespace

TEST_CASE("onnx: a file that is cut off names the message and the byte") {
  const std::string file = tests::onnx_file(sum_with(tests::onnx_floats("w", {2}, {1, 2})).bytes());
  CHECK(onnx_refusal(file.substr(0, file.size() - 1)) ==
        "mithril.ParseError[E1301]: net.onnx: the file is not a complete ONNX file\n"
        "  problem : a field ends beyond its message\n"
        "  place   : ModelProto at byte 7\n"
        "  help: copy the file again: it was changed or cut off");
}

TEST_CASE("onnx: a file of another kind is named") {
  const auto shown = [](const std::string& bytes) {
    const std::string text = onnx_refusal(bytes);
    const std::size_t begin = text.find("  it looks like : "), end = text.find("\n  problem");
    return begin == std::string::npos ? text : text.substr(begin + 18, end - begin - 18);
  };
  CHECK(shown("\xFF\xD8\xFF\xE0") == "a JPEG image");
  CHECK(shown("\x89PNG\r\n") == "a PNG image");
  CHECK(shown("\x89HDF\r\n\x1A\n") == "an HDF5 file, as Keras writes it");
  CHECK(shown(std::string("\x1C\0\0\0TFL3", 8)) == "a model of TensorFlow Lite");
  CHECK(shown("PK\x03\x04") == "a .zip archive, as torch.save writes it");
  CHECK(shown("\x80\x04\x95") == "a pickle");
  CHECK(shown("{\"a\": 1}") == "JSON");
  CHECK(onnx_refusal("version https://git-lfs.github.com/spec/v1\n") ==
        "mithril.ParseError[E1301]: net.onnx: the file is not a complete ONNX file\n"
        "  it looks like : a pointer of Git LFS\n"
        "  problem       : a field has an unknown wire type\n"
        "  place         : ModelProto at byte 1\n"
        "  help: fetch the file that it points to: git lfs pull");
}

TEST_CASE("onnx: a file of a newer version of the format is refused") {
  CHECK(onnx_refusal(OnnxMessage().number(onnx::model_field::ir_version, 15).bytes()) ==
        "mithril.ValueError[E1310]: net.onnx: the file has version 15 of the ONNX format\n"
        "  expected : at most 14\n"
        "  help: export the model with an older release of onnx, or lower its ir_version");
}

TEST_CASE("onnx: every prefix of a file, and every changed byte, is read or refused") {
  const FileFolder folder;
  const std::string file = tests::onnx_file(sum_with(tests::onnx_floats("w", {2}, {1, 2})).bytes());
  const auto try_it = [&](const std::string& bytes) {
    const std::string path = folder.write("net.onnx", bytes);
    try {
      read_onnx(path);
    } catch (const Error&) {
    }
  };
  for (std::size_t i = 0; i < file.size(); ++i) {
    try_it(file.substr(0, i));
    for (const char byte : {'\0', '\x7F', '\xFF'}) {
      std::string changed = file;
      changed[i] = byte;
      try_it(changed);
    }
  }
}

TEST_CASE("onnx: a field of another wire type is refused") {
  CHECK(onnx_refusal(OnnxMessage().number(onnx::model_field::graph, 1).bytes()) ==
        "mithril.ParseError[E1301]: net.onnx: the file is not a complete ONNX file\n"
        "  problem : field 7 has another wire type than it needs\n"
        "  place   : ModelProto at byte 1\n"
        "  help: copy the file again: it was changed or cut off");
}

TEST_CASE("onnx: a name that is not UTF-8 is refused") {
  const std::string graph = OnnxGraph{.inputs = {tests::onnx_value("\xFF", {2})}}.bytes();
  CHECK(onnx_refusal(tests::onnx_file(graph)) ==
        "mithril.ParseError[E1301]: net.onnx: the file is not a complete ONNX file\n"
        "  problem : field 1 is not text in UTF-8\n"
        "  place   : ValueInfoProto at byte 13\n"
        "  help: copy the file again: it was changed or cut off");
}

TEST_CASE("onnx: a length above 32 bits is refused, and not cut") {
  // Field 7 with a length of 2^32 + 2.
  CHECK(onnx_refusal(std::string("\x3A\x82\x80\x80\x80\x10\x00\x00", 8)) ==
        "mithril.ParseError[E1301]: net.onnx: the file is not a complete ONNX file\n"
        "  problem : a field ends beyond its message\n"
        "  place   : ModelProto at byte 1\n"
        "  help: copy the file again: it was changed or cut off");
}

TEST_CASE("onnx: graphs nest at most 100 deep") {
  CHECK(onnx_refusal(tests::onnx_file(nested(101))) ==
        "mithril.ParseError[E1302]: net.onnx: the file has graphs inside of graphs, 101 deep\n"
        "  expected : at most 100\n"
        "  help: compute what the inner graphs choose before them, with fewer levels");
}

TEST_CASE("onnx: a file without a graph or an opset is refused") {
  CHECK(onnx_refusal("") ==
        "mithril.ParseError[E1309]: net.onnx: the file has no graph\n"
        "  expected : a ModelProto of ONNX\n"
        "  help: check that this is an ONNX file, and not the parameters of another format");
  CHECK(onnx_refusal(OnnxMessage().text(onnx::model_field::graph, "").bytes()) ==
        "mithril.ParseError[E1309]: net.onnx: the file has no opset\n"
        "  expected : a ModelProto of ONNX\n"
        "  help: check that this is an ONNX file, and not the parameters of another format");
}

TEST_CASE("onnx: raw data of another length than the dims is refused") {
  CHECK(tensor_refusal(tests::onnx_floats("w", {2}, {1, 2, 3})) ==
        "mithril.ParseError[E1303]: w: the elements in the file are not those of the dims\n"
        "  in the file : 12 bytes\n"
        "  expected    : 8 bytes for [2]\n"
        "  help: export the model again: its file was changed or cut off");
  CHECK(tensor_refusal(tests::onnx_tensor("w", {2}).real(tensor_field::float_data, 1).bytes()) ==
        "mithril.ParseError[E1303]: w: the elements in the file are not those of the dims\n"
        "  in the file : 1 elements\n"
        "  expected    : 2 elements for [2]\n"
        "  help: export the model again: its file was changed or cut off");
}

TEST_CASE("onnx: dims that are negative or overflow are refused") {
  CHECK(tensor_refusal(tests::onnx_tensor("w", {-2}).bytes()) ==
        "mithril.ParseError[E1304]: w: these are not dims of a tensor\n"
        "  dims     : [-2]\n"
        "  expected : sizes of at least 0 whose bytes 63 bits can count\n"
        "  help: export the model again: its file was changed");
  CHECK(tensor_refusal(tests::onnx_tensor("w", {1LL << 31, 1LL << 31}).bytes()) ==
        "mithril.ParseError[E1304]: w: these are not dims of a tensor\n"
        "  dims     : [2147483648, 2147483648]\n"
        "  expected : sizes of at least 0 whose bytes 63 bits can count\n"
        "  help: export the model again: its file was changed");
}

TEST_CASE("onnx: a tensor of strings is refused") {
  const FileFolder folder;
  const std::string path = folder.write(
      "net.onnx",
      tests::onnx_file(
          sum_with(tests::onnx_tensor("w", {2}, onnx::ElementType::string).bytes()).bytes()));
  CHECK(folder.error([&] { read_onnx(path); }) ==
        "mithril.TypeError[E1305]: w: Mithril has no tensors of string\n"
        "  in : net.onnx\n"
        "  help: leave out the nodes that read it, or convert it before the export");
}

TEST_CASE("onnx: external data stays in the folder of the model") {
  const auto outside = [](const std::string& location) {
    return "mithril.InputError[E1306]: w: the external data of this tensor is outside of the "
           "folder of the model\n"
           "  location : '" +
           location +
           "'\n"
           "  model    : 'net.onnx'\n"
           "  help: store the file with the elements beside the model, and name it without a "
           "folder above";
  };
  CHECK(tensor_refusal(external_tensor("../w.bin", "0")) == outside("../w.bin"));
  CHECK(tensor_refusal(external_tensor("/etc/passwd", "0")) == outside("/etc/passwd"));
  CHECK(tensor_refusal(external_tensor("", "0")) == outside(""));
  const FileFolder folder, other;
  other.write("w.bin", "12345678");
  std::filesystem::create_symlink(other.at("w.bin"), folder.at("link.bin"));
  const std::string path = folder.write(
      "net.onnx", tests::onnx_file(sum_with(external_tensor("link.bin", "0")).bytes()));
  CHECK(folder.error([&] { read_onnx(path); }) == outside("link.bin"));
}

TEST_CASE("onnx: external data is read from its place in a file of the folder") {
  const FileFolder folder;
  const float elements[] = {0, 3, -4};
  folder.write("w.bin", std::string(reinterpret_cast<const char*>(elements), sizeof elements));
  const std::string file = tests::onnx_file(sum_with(external_tensor("w.bin", "4")).bytes());
  const OnnxModel net = read_onnx(folder.write("net.onnx", file));
  CHECK(identical(net.parameters.at("w"), Tensor::of<float>({2}, {3, -4})));
}

TEST_CASE("onnx: external data beyond the end of its file is refused") {
  const FileFolder folder;
  folder.write("w.bin", "12345678");
  const std::string help =
      "\n  help: copy this file beside the model again, whole, or export the model again";
  const auto error = [&](const std::string& offset, const std::string& location = "w.bin") {
    const std::string file = tests::onnx_file(sum_with(external_tensor(location, offset)).bytes());
    const std::string path = folder.write("net.onnx", file);
    return folder.error([&] { read_onnx(path); });
  };
  CHECK(error("4") ==
        "mithril.ParseError[E1307]: w: the external data of this tensor is not in its file\n"
        "  file     : w.bin\n"
        "  found    : bytes 4 to 4 + 8\n"
        "  expected : at most 8" +
            help);
  CHECK(error("-4") ==
        "mithril.ParseError[E1307]: w: the external data of this tensor is not in its file\n"
        "  file     : w.bin\n"
        "  found    : '-4'\n"
        "  expected : a number of bytes" +
            help);
  CHECK(error("0", "other.bin") ==
        "mithril.ParseError[E1307]: w: the external data of this tensor is not in its file\n"
        "  file     : other.bin\n"
        "  found    : no file\n"
        "  expected : a file beside the model" +
            help);
}

TEST_CASE("onnx: names that are made twice, never, or by themselves are refused") {
  const std::string help =
      "\n  help: export the model again; onnx.checker.check_model tells more about the file";
  const auto graph_error = [](OnnxGraph graph) {
    if (graph.inputs.empty()) graph.inputs = {tests::onnx_value("x", {2})};
    graph.outputs = {tests::onnx_value("y", {2})};
    return onnx_refusal(tests::onnx_file(graph.bytes()));
  };
  CHECK(graph_error({.nodes = {tests::onnx_node("Relu", {"x"}, {"y"}),
                               tests::onnx_node("Abs", {"x"}, {"y"})}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: two of its inputs, "
        "initializers and nodes have one name\n"
        "  name : 'y'" +
            help);
  const std::string weight = tests::onnx_floats("w", {2}, {1, 2});
  CHECK(graph_error({.nodes = {tests::onnx_node("Add", {"x", "w"}, {"y"})},
                     .initializers = {weight, weight}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: two of its inputs, "
        "initializers and nodes have one name\n"
        "  name : 'w'" +
            help);
  const std::string x = tests::onnx_value("x", {2});
  CHECK(graph_error({.nodes = {tests::onnx_node("Relu", {"x"}, {"y"})}, .inputs = {x, x}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: two of its inputs, "
        "initializers and nodes have one name\n"
        "  name : 'x'" +
            help);
  CHECK(graph_error({.nodes = {tests::onnx_node("Relu", {"z"}, {"y"})}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: nothing makes a "
        "value that is read\n"
        "  name : 'z'" +
            help);
  CHECK(graph_error({.nodes = {tests::onnx_node("Add", {"x", "z"}, {"y"}),
                               tests::onnx_node("Abs", {"y"}, {"z"})}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: a value depends on "
        "itself\n"
        "  name : 'y'" +
            help);
  CHECK(graph_error({.nodes = {tests::onnx_node("Relu", {"x"}, {"y"})},
                     .inputs = {x, tests::onnx_value("", {2})}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: an input has no "
        "name" +
            help);
  CHECK(graph_error({.nodes = {tests::onnx_node("Relu", {"x"}, {"y"})},
                     .initializers = {tests::onnx_floats("", {1}, {1})}}) ==
        "mithril.ParseError[E1308]: net.onnx: the graph of the file is wrong: an initializer has "
        "no name\n"
        "  name : ''" +
            help);
}

}  // namespace mithril
