#include "mithril/cli/compile_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::cli {
namespace {

using Texts = std::vector<std::string>;

struct How {
  std::shared_ptr<Backend> backend;
  bool inference = true;
  bool as_packaged = true;  // a package without --params is compiled as it states
};

// A model to compile, without what the call states about it.
class Compilation {
 public:
  Compilation(const ModelFile& file, const Arguments& arguments, How how)
      : file_(file), arguments_(arguments), how_(std::move(how)) {}

  // StatedError for an error that compiling without --shape and --constant does not have.
  CompiledModel run(const Texts& shapes, const Texts& constants) const try {
    return run_with(shapes, constants);
  } catch (const Error& error) {
    if (error.code() == "E1102") throw;  // the memory of this machine
    const Texts others = without_stated(shapes);
    if (constants.empty() && others.size() == shapes.size()) throw;
    if (!compiles(others)) throw;
    throw StatedError{error.what()};
  }

  // Those that are not values of --shape.
  Texts without_stated(Texts shapes) const {
    const Texts stated = arguments_.values("--shape");
    const auto is_stated = [&](const std::string& text) {
      return std::find(stated.begin(), stated.end(), text) != stated.end();
    };
    std::erase_if(shapes, is_stated);
    return shapes;
  }

 private:
  CompiledModel run_with(const Texts& shapes, const Texts& constants) const {
    CompileOptions options{.inference = how_.inference};
    for (auto& [key, sizes] : shapes_of(shapes)) options.shapes.emplace_back(key, sizes);
    for (const std::string& text : constants) {
      const auto [key, value] = parse_pair("--constant", text);
      options.constant_keys.emplace_back(key, parse_constant(value));
    }
    if (file_.package && how_.as_packaged && !arguments_.has("--params"))
      return file_.package->compile(how_.backend, std::move(options));  // it states the data keys
    for (const std::string& key : file_.data_keys) options.data_keys.emplace_back(key);
    return compile(file_.model, how_.backend, std::move(options));
  }

  bool compiles(const Texts& shapes) const try {
    run_with(shapes, {});
    return true;
  } catch (const Error&) {
    return false;
  }

  const ModelFile& file_;
  const Arguments& arguments_;
  const How how_;
};

// Those of an ONNX file are in the model.
Texts constants_to_compile(const ModelFile& file, const Arguments& arguments) {
  return file.kind == FileKind::onnx ? Texts() : arguments.values("--constant");
}

TensorMap loaded_parameters(const ModelFile& file, const CompiledModel& compiled) {
  return compiled.load_state_dict(needed_parameters(file, compiled));
}

// Whether the parameters fit the model without the sizes of --shape.
bool fits_without_shapes(const ModelFile& file, const Arguments& arguments) try {
  const Compilation compilation(file, arguments, {.backend = cpu_of(arguments)});
  loaded_parameters(file, compilation.run({}, constants_to_compile(file, arguments)));
  return true;
} catch (const Error&) {
  return false;
}

}  // namespace

CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::vector<std::string>& shapes) {
  return Compilation(file, arguments, {.backend = cpu_of(arguments)})
      .run(shapes, constants_to_compile(file, arguments));
}

CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::shared_ptr<Backend>& backend, bool inference) {
  return Compilation(file, arguments,
                     {.backend = backend, .inference = inference, .as_packaged = false})
      .run(arguments.values("--shape"), constants_to_compile(file, arguments));
}

TensorMap parameters_of(const ModelFile& file, const CompiledModel& compiled,
                        const Arguments& arguments) try {
  if (!file.params) return compiled.get_parameters(seed_of(arguments));
  return loaded_parameters(file, compiled);
} catch (const ShapeError& error) {
  if (error.code() != "E0209") throw;
  const std::vector<std::string> keys = compiled.data_keys();
  throw UsageError{"the sizes of the parameters follow from the sizes of inputs, which are open",
                   fmt::format("state them: --shape {}=8,4", keys.empty() ? "x" : keys.front())};
} catch (const StateError& error) {
  if (!arguments.has("--shape") || !fits_without_shapes(file, arguments)) throw;
  throw StatedError{error.what()};
}

State state_of(const ModelFile& file, const CompiledModel& compiled) {
  State state = compiled.initial_state_dict();
  for (auto& [key, tensor] : state) {
    const Tensor* saved = file.params ? file.params->find(key) : nullptr;
    if (!saved) saved = file.state.find(key);
    if (saved) tensor = *saved;
  }
  return state;
}

}  // namespace mithril::cli
