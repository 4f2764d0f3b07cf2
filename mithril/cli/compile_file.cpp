#include "mithril/cli/compile_file.hpp"

#include "mithril/cli/argument_values.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::cli {
CompileOptions compile_options_of(const ModelFile& file, const Arguments& arguments,
                                  const std::vector<std::string>& shapes, bool inference) {
  CompileOptions options{.inference = inference};
  for (auto& [key, sizes] : shapes_of(shapes)) options.shapes.emplace_back(key, sizes);
  // Constants of an ONNX file are in the model.
  const bool has_constants = file.kind == FileKind::onnx;
  for (const std::string& text :
       has_constants ? std::vector<std::string>{} : arguments.values("--constant")) {
    const auto [key, value] = parse_pair("--constant", text);
    options.constant_keys.emplace_back(key, parse_constant(value));
  }
  for (const std::string& key : file.data_keys) options.data_keys.emplace_back(key);
  return options;
}

CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::vector<std::string>& shapes) {
  CompileOptions options = compile_options_of(file, arguments, shapes, true);
  const std::shared_ptr<Backend> backend = cpu_of(arguments);
  if (file.package && !arguments.has("--params")) {
    options.data_keys = {};  // the package states them
    return file.package->compile(backend, std::move(options));
  }
  return compile(file.model, backend, std::move(options));
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
