#include "backends/cpu/descriptors/kernel_call.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

struct Parsed {
  std::optional<Formula> formula;
  std::optional<SpelledExpression> kernel;
};

Parsed parse(const OpDef& op) {
  Parsed parsed;
  const Spelling *formula = op.spelling("c"), *kernel = op.spelling("cpu");
  if (formula && !formula->text.starts_with("unsupported:")) {
    parsed.formula = parse_formula(formula->text);
  }
  if (kernel) parsed.kernel = parse_spelling(kernel->text);
  return parsed;
}

// Op records have fixed addresses until the process ends, so the parsed spellings are never freed.
const Parsed& parsed(const OpDef& op) {
  static std::mutex mutex;
  static auto* known = new std::unordered_map<const OpDef*, std::unique_ptr<const Parsed>>();
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Parsed>& entry = (*known)[&op];
  if (!entry) entry = std::make_unique<const Parsed>(parse(op));
  return *entry;
}

}  // namespace

const Formula* formula_of(const OpDef& op) {
  const std::optional<Formula>& formula = parsed(op).formula;
  return formula ? &*formula : nullptr;
}

const SpelledExpression* kernel_of(const OpDef& op) {
  const std::optional<SpelledExpression>& kernel = parsed(op).kernel;
  return kernel ? &*kernel : nullptr;
}

}  // namespace mithril::cpu_backend
