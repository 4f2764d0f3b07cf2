// Runs ONNX files in the ONNX Runtime of a Python, which is started for it.
#pragma once

#include <cstdint>
#include <string>

#include "mithril/cli/model_file.hpp"
#include "mithril/compile/compiled_model.hpp"
#include "mithril/onnx/export/write_onnx.hpp"

namespace mithril::cli {

struct OnnxRuntimeOptions {
  // On x86 processors without VNNI, products of 8-bit numbers saturate in ONNX Runtime unless its
  // option session.x64quantprecision is set, which makes them slower.
  bool exact_products = true;
  long threads = 0;    // 0: as ONNX Runtime chooses
  long runs = 0;       // timed ones
  double seconds = 0;  // of timed runs, if `runs` is 0
};

struct OnnxRuntimeAnswer {
  std::string version;
  TensorMap outputs;
  double load_ms = 0, first_ms = 0, median_ms = 0;  // median_ms: 0 without timed runs
  std::int64_t runs = 0;
};

// Runs an ONNX file, or another model that is written as one, with its parameters and states in
// `options`. The inputs and outputs have the names of the file. MissingError if there is no Python,
// or if it has no ONNX Runtime or NumPy; ValueError E1323 if ONNX Runtime refuses the file; errors
// of write_onnx.
OnnxRuntimeAnswer run_onnx_runtime(const ModelFile& file, const Arguments& arguments,
                                   const CompiledModel& compiled, const OnnxWriteOptions& options,
                                   const TensorMap& data, const OnnxRuntimeOptions& how = {});

// The tensors of ports of the model, by their names in its ONNX file.
TensorMap named_as_in_file(const ModelFile& file, const TensorMap& tensors);

}  // namespace mithril::cli
