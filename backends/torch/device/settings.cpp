#include "backends/torch/device/settings.hpp"

#include <algorithm>
#include <vector>

#include "backends/torch/device/library.hpp"
#include "mithril/backend/dtype_options.hpp"
#include "mithril/backend/memory.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"

namespace mithril::torch_backend {
namespace {

// "cuda" means the current GPU of this thread, as in torch. The backend stays on that one.
std::string checked_device(const std::string& wanted) {
  if (wanted == "cpu") return wanted;
  const std::vector<std::string> there = devices();
  const std::string full = wanted == "cuda" ? current_gpu() : wanted;
  if (std::find(there.begin(), there.end(), full) != there.end()) return full;
  raise({.kind = ErrorKind::backend,
         .code = "E1005",
         .message = "there is no device " + in_quotes(wanted),
         .facts = {{"there are", join(there, ", ")}}});
}

bool is_preallocated(const std::string& choice) {
  if (choice == "preallocate") return true;
  if (choice == "lazy") return false;
  unknown_name(ErrorKind::name, "E0620", "memory_allocation", choice, "", {"lazy", "preallocate"});
}

[[noreturn]] void refuse_beside_eager_mode(const std::string& option) {
  raise({.kind = ErrorKind::value,
         .code = "E0432",
         .message = "eager_mode runs the composed ops one by one, which excludes " + option,
         .help = "leave one of the two out"});
}

// Checks combinations of options.
void check_together(const Settings& settings) {
  if (settings.memory_limit && settings.device == "mps") {
    raise({.kind = ErrorKind::backend,
           .code = "E1002",
           .message = "backend 'torch' does not support memory_limit on mps yet"});
  }
  if (settings.eager_mode && (settings.jit_compile || settings.memory_efficient)) {
    const char* other = settings.jit_compile ? "jit_compile" : "memory_efficient";
    refuse_beside_eager_mode(other);
  }
  if (!settings.preallocate || (settings.memory_limit && !settings.release_unused)) return;
  raise({.kind = ErrorKind::value,
         .code = "E0431",
         .message = settings.memory_limit
                        ? "memory_allocation 'preallocate' keeps what release_unused gives back"
                        : "memory_allocation 'preallocate' needs a memory_limit"});
}

struct Option {
  std::string name;
  Kinds kinds;  // of the value
  void (*set)(Settings& settings, const Datum& value);
};

const std::vector<Option>& all_options() {
  static const std::vector<Option> options{
      {"device", kind::string,
       [](Settings& s, const Datum& value) { s.device = checked_device(value.text()); }},
      {"dtype", kind::dtype,
       [](Settings& s, const Datum& value) { s.dtype = checked_dtype(value.dtype()); }},
      {"memory_efficient", kind::bool_value,
       [](Settings& s, const Datum& value) { s.memory_efficient = value.flag(); }},
      {"requires_grad", kind::bool_value,
       [](Settings& s, const Datum& value) { s.requires_grad = value.flag(); }},
      {"eager_mode", kind::bool_value,
       [](Settings& s, const Datum& value) { s.eager_mode = value.flag(); }},
      {"jit_compile", kind::bool_value,
       [](Settings& s, const Datum& value) { s.jit_compile = value.flag(); }},
      {"use_amp", kind::bool_value,
       [](Settings& s, const Datum& value) { s.use_amp = value.flag(); }},
      {"amp_dtype", kind::dtype,
       [](Settings& s, const Datum& value) { s.amp_dtype = checked_amp_dtype(value.dtype()); }},
      {"memory_limit", kind::any,
       [](Settings& s, const Datum& value) { s.memory_limit = read_bytes(value, "memory_limit"); }},
      {"memory_allocation", kind::string,
       [](Settings& s, const Datum& value) { s.preallocate = is_preallocated(value.text()); }},
      {"release_unused", kind::bool_value,
       [](Settings& s, const Datum& value) { s.release_unused = value.flag(); }},
      {"deterministic", kind::bool_value,
       [](Settings& s, const Datum& value) {
         if (value.flag()) s.switches = Switches::deterministic;
       }},
      // The fastest kernel may differ from run to run, so deterministic takes precedence.
      {"benchmark", kind::bool_value,
       [](Settings& s, const Datum& value) {
         const bool free = s.switches == Switches::as_they_are;
         if (value.flag() && free) s.switches = Switches::benchmark;
       }},
  };
  return options;
}

const Option& option(const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : all_options()) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  unknown_member(ErrorKind::name, "E0616", "the torch backend", "option", name, "", names);
}

[[noreturn]] void refuse_kind(const Option& option, const Datum& value) {
  raise({.kind = ErrorKind::type,
         .code = "E0304",
         .message = "TorchBackend: argument " + in_quotes(option.name) + " has the wrong kind",
         .facts = {{"expected", to_string_kinds(option.kinds)}, {"got", to_string(value)}}});
}

}  // namespace

std::optional<DType> Settings::mixed_precision() const {
  if (!use_amp) return std::nullopt;
  return amp_dtype.value_or(device == "cpu" ? DType::bfloat16 : DType::float16);
}

Settings read_settings(const Arguments& options) {
  Settings settings;
  for (const auto& [name, value] : options) {
    const Option& known = option(name);
    if (!(value.kind() & known.kinds)) refuse_kind(known, value);
    known.set(settings, value);
  }
  check_together(settings);
  return settings;
}

}  // namespace mithril::torch_backend
