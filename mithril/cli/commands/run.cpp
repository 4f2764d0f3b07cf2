// `mithril run`: the outputs of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/cli/text_table.hpp"
#include "mithril/edit/cost.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/write_npy.hpp"

namespace mithril::cli {
namespace {

// The dtype of the input, if it states one of few bits.
std::optional<DType> low_bit_dtype(const Model& model, const std::string& key) {
  const auto dtype = find_port(*model.composite(), key)->dtype;
  return dtype && is_low_bit(*dtype) ? dtype : std::nullopt;
}

// The keys that `key` may have been meant to be, or else the inputs that --input takes.
std::string help_for_unknown(const std::string& key, const std::vector<std::string>& keys,
                             const std::function<bool(const std::string&)>& is_parameter) {
  if (std::string guess = did_you_mean(key, keys); !guess.empty()) return guess;
  std::vector<std::string> inputs;
  for (const std::string& input : keys) {
    if (!is_parameter(input)) inputs.push_back(in_quotes(printable(input)));
  }
  return inputs.empty() ? "no key of the model is an input" : "inputs: " + join(inputs, ", ");
}

void check_path(const char* option, const std::string& text, const std::string& path) {
  if (path.empty())
    throw UsageError{fmt::format("{} is '{}', expected KEY=FILE", option, printable(text))};
}

// The arrays of --input. UsageError for a key that is not an input, or a parameter.
TensorMap given_inputs(const Arguments& arguments, const ModelFile& file) {
  const std::vector<std::string> keys = file.model.input_keys();
  const std::vector<std::string> parameters =
      file.params ? file.params->keys() : parameters_by_part(file.model).keys;
  const auto is_parameter = [&](const std::string& key) {
    const auto is_in = [&key](const auto& names) {
      return std::find(names.begin(), names.end(), key) != names.end();
    };
    return is_in(parameters) && !is_in(file.data_keys);
  };
  TensorMap given;
  for (const std::string& text : arguments.values("--input")) {
    const auto pair = parse_pair("--input", text);
    const std::string &key = pair.first, &path = pair.second;
    check_path("--input", text, path);
    if (given.contains(key))
      throw UsageError{fmt::format("--input gives '{}' more than once", printable(key))};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw UsageError{fmt::format("the model has no input '{}'", printable(key)),
                       help_for_unknown(key, keys, is_parameter)};
    }
    if (is_parameter(key)) {
      throw UsageError{fmt::format("'{}' is a parameter", printable(key)),
                       "give parameters in one file: --params weights.safetensors"};
    }
    given[key] = load_npy(path, low_bit_dtype(file.model, key));
  }
  return given;
}

// The values of --shape, and the shape of each given array that they leave out. UsageError for a
// shape that its array has not.
std::vector<std::string> with_shapes_of(const TensorMap& given, std::vector<std::string> shapes) {
  for (const auto& [key, tensor] : given) {
    const std::string head = key + "=", shape = head + join(tensor.dims(), ",");
    const auto states = [&](const std::string& text) { return text.starts_with(head); };
    const auto found = std::find_if(shapes.begin(), shapes.end(), states);
    if (found == shapes.end()) {
      shapes.push_back(shape);
    } else if (*found != shape) {
      throw UsageError{fmt::format("--shape is '{}', and the array of --input has the shape {}",
                                   printable(*found), to_string(tensor.dims())),
                       "give one of both"};
    }
  }
  return shapes;
}

// The keys of outputs and the files to write them to, from --output. A path without a key is for
// the only output.
std::vector<std::pair<std::string, std::string>> output_paths(
    const Arguments& arguments, const std::vector<std::string>& keys) {
  std::vector<std::pair<std::string, std::string>> paths;
  for (const std::string& text : arguments.values("--output")) {
    if (text.find('=') == std::string::npos) {
      if (keys.size() != 1) {
        throw UsageError{fmt::format("the model has {} outputs, and --output is '{}'", keys.size(),
                                     printable(text)),
                         fmt::format("name one: --output {}={}", keys.front(), text)};
      }
      paths.emplace_back(keys.front(), text);
      continue;
    }
    auto [key, path] = parse_pair("--output", text);
    check_path("--output", text, path);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw UsageError{fmt::format("the model has no output '{}'", printable(key)),
                       did_you_mean(key, keys)};
    }
    paths.emplace_back(std::move(key), std::move(path));
  }
  return paths;
}

struct Statistics {
  double least = 0, mean = 0, greatest = 0;
  std::int64_t finite = 0, not_finite = 0;

  std::string text(double number) const { return finite > 0 ? fmt::format("{:.6g}", number) : "-"; }
  Json json(double number) const { return finite > 0 ? Json(number) : Json(nullptr); }
};

// Of the finite elements.
Statistics statistics_of(const Tensor& tensor) {
  Statistics found;
  double sum = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double element = tensor.at_as_double(i);
    if (!std::isfinite(element)) {
      ++found.not_finite;
      continue;
    }
    found.least = found.finite == 0 ? element : std::min(found.least, element);
    found.greatest = found.finite == 0 ? element : std::max(found.greatest, element);
    sum += element;
    ++found.finite;
  }
  if (found.finite > 0) found.mean = sum / static_cast<double>(found.finite);
  return found;
}

}  // namespace

int run_model(const Arguments& arguments, Output& output) {
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  TensorMap given = given_inputs(arguments, file);
  const CompiledModel compiled =
      compile_file(file, arguments, with_shapes_of(given, arguments.values("--shape")));
  const auto paths = output_paths(arguments, compiled.output_keys());
  const std::uint64_t seed = seed_of(arguments);
  const TensorMap params = parameters_of(file, compiled, arguments);
  const TensorMap data = inputs_of(compiled, std::move(given), seed);
  const TensorMap results = compiled.infer(params, data, state_of(file, compiled));

  std::vector<TableRow> rows = {{"output", "dtype", "shape", "min", "mean", "max", "not finite"}};
  Json::Array outputs;
  for (const auto& [key, tensor] : results) {
    const Tensor host = tensor.host();
    const Statistics found = statistics_of(host);
    rows.push_back({key, std::string(name(host.dtype())), to_string(host.dims()),
                    found.text(found.least), found.text(found.mean), found.text(found.greatest),
                    grouped(found.not_finite)});
    Json::Array dims(host.dims().begin(), host.dims().end());
    outputs.push_back(Json::Object{{"name", key},
                                   {"dtype", std::string(name(host.dtype()))},
                                   {"shape", std::move(dims)},
                                   {"min", found.json(found.least)},
                                   {"mean", found.json(found.mean)},
                                   {"max", found.json(found.greatest)},
                                   {"not_finite", found.not_finite}});
  }
  for (const auto& [key, path] : paths) save_npy(path, results.at(key));
  if (output.is_json()) {
    output.object("run", {{"file", arguments.value("FILE")}, {"outputs", std::move(outputs)}});
  } else {
    output.text(table_text(rows));
  }
  return done;
}

}  // namespace mithril::cli
