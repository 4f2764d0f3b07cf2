// Reads ONNX files as models.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct OnnxOptions {
  // Values of inputs, by name. The model does not have these inputs.
  TensorMap constants = {};
  // Sizes of inputs, in place of those that the file states: {{"x", {ml::any, 3, 224, 224}}}.
  std::vector<std::pair<std::string, ShapeSpec>> shapes = {};
  // The number of elements of each input that is a sequence. The elements of `x` are the inputs
  // "x.0", "x.1" and so on. Nothing: an optional input without an element.
  std::map<std::string, std::optional<std::int64_t>> lengths = {};
  // The dtype of the backend that the model will be compiled for: float32 or float64. Values of the
  // other one keep their dtype.
  DType dtype = DType::float32;
};

struct OnnxModel {
  Model model;
  TensorMap parameters;
  // Ports whose name in the file has a NUL, or is that of an input and of an output: from the port
  // to the name in the file.
  std::map<std::string, std::string> renamed;
  // What the exporter noted in the file, such as the labels of classes. Not always UTF-8.
  std::map<std::string, std::string> metadata;
  // The number of elements of each output that is a sequence; the elements of `y` are the outputs
  // "y.0", "y.1" and so on. Nothing: an optional output without an element, which is not a port.
  std::map<std::string, std::optional<std::int64_t>> lengths;
  // Outputs whose size along an axis depends on data: that axis. Output `y` has room for the most
  // elements, and output "y.count", an int64, says how many there are. Those after them mean
  // nothing.
  std::map<std::string, std::int64_t> counts;
};

// The graph of an ONNX file as a model, with the names of the file for its inputs, outputs and
// parameters. Parameters share their elements with the mapped file. The inputs are data, and the
// initializers of floats are parameters; statistics of batch norm are frozen. What the file
// computes from known values alone is computed here. Symbolic sizes stay symbolic. InputError E0830
// for a file that cannot be read. ParseError E1301 to E1304 and E1307 to E1309 for a damaged file,
// TypeError E1305 for elements that Mithril lacks, InputError E1306 for external data in another
// folder, ValueError E1310 for a newer opset, ValueError E1311 with all nodes that cannot be
// imported, NameError E1312 for an option about an input that the file lacks, ValueError E1313 for
// a constant that does not fit its input, ValueError E1390 for a length that does not fit it,
// ValueError E1326 for functions and loops that make too many nodes or ops. Example:
//   ml::OnnxModel net = ml::read_onnx("net.onnx", {.shapes = {{"x", {ml::any, 3, 224, 224}}}});
//   auto compiled = ml::compile(net.model, ml::cpu());
//   auto outputs = compiled.evaluate(net.parameters, {{"x", image}});
OnnxModel read_onnx(const std::string& path, const OnnxOptions& options = {});

// What a file contains, but for the elements of its parameters.
struct OnnxOutline {
  Model model;
  std::map<std::string, Dims> parameters;
};

// The model of `read_onnx` and the dims of its parameters. Elements that the file stores unaligned,
// which `read_onnx` copies, stay in the file. Errors as `read_onnx`.
OnnxOutline outline_onnx(const std::string& path, const OnnxOptions& options = {});

}  // namespace mithril
