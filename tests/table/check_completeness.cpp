#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "codegen/cpp/snippets.hpp"
#include "mithril/op/op_def.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/group_ops.hpp"

namespace mithril::tests {
namespace {

using Rows = std::vector<OpCase>;

bool any_row(const Rows& rows, const std::function<bool(const OpCase&)>& holds) {
  return std::any_of(rows.begin(), rows.end(), holds);
}

bool works(const OpCase& row) { return row.error.empty(); }

bool has_size(const OpCase& row, std::int64_t size) {
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      const TensorSpec* spec = std::get_if<TensorSpec>(&item);
      if (spec && std::find(spec->dims.begin(), spec->dims.end(), size) != spec->dims.end())
        return true;
    }
  }
  return false;
}

// Whether the row passes a value other than the default; any value if there is no default.
bool off_default(const OpCase& row, const PortDef& port) {
  for (const auto& [name, content] : row.inputs) {
    if (name != port.name) continue;
    const Datum* datum = content.list ? nullptr : std::get_if<Datum>(&content.items.front());
    return !datum || !port.fallback || datum->kind() != port.fallback->kind() ||
           !same(*datum, *port.fallback);
  }
  return false;
}

bool takes_tensors(const OpDef& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.compiled.ports[i].value) return true;
  }
  return false;
}

// Generated C++ has the op as an expression of its elements, a kernel, a view or a constant.
bool is_generated_in_cpp(const OpDef& op) {
  return is_op_of_groups(op.name) || op.spelling("c") ||
         codegen::cpp_snippets().has_kernel(op.name) || op.keeps_elements || !takes_tensors(op);
}

bool takes_tensors_of_any_size(const OpDef& op) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.compiled.ports[i].value && !op.compiled.ports[i].elements.empty()) return true;
  }
  return false;
}

// Returns whether the op accepts any tensor, so that it has nothing to refuse.
bool takes_anything(const OpDef& op) {
  const bool any_type = op.inputs[0].type == "T" || op.mirrors_list();
  return op.inputs.size() == 1 && any_type && op.inputs[0].shape.rfind('*', 0) == 0;
}

class Completeness {
 public:
  Completeness(const OpDef& op, const Rows& rows, Report& report)
      : op_(op), rows_(rows), report_(report) {}

  void run() {
    require("has a doc line", !op_.doc.empty());
    if (is_op_of_loops(op_.name)) return;
    if (is_op_of_vmap(op_.name)) return require("has rows", !rows_.empty());
    require("means something: eval, expand, or solve for values",
            op_.eval || op_.expand || op_.solve);
    if (op_.eval)
      require("has a gradient or a reason for none", !op_.grad == !op_.not_differentiable.empty());
    if (op_.expand)
      require("that expands has no spellings, which nothing would read", op_.spell.empty());
    if (op_.eval) {
      require("has a spelling for torch, or \"unsupported: ...\"",
              op_.spelling("torch") != nullptr);
      require("has a spelling for JAX", op_.spelling("jax") != nullptr);
      require("has a C formula, a kernel in codegen/cpp/kernels, a view's elements, or no tensors",
              is_generated_in_cpp(op_));
    }
    check_rows();
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].list) continue;
      require_row(fmt::format("has a row with '{}' off its default", op_.inputs[i].name),
                  [&](const OpCase& row) { return works(row) && off_default(row, op_.inputs[i]); });
    }
  }

 private:
  void check_rows() {
    require("has rows", !rows_.empty());
    require_row("has a row with a result that was worked out by hand",
                [](const OpCase& row) { return !row.expect.empty(); });
    if (!takes_anything(op_)) {
      require_row("has a row that is refused",
                  [](const OpCase& row) { return !row.error.empty(); });
    }
    if (takes_tensors_of_any_size(op_)) {
      for (const std::int64_t size : {0, 1}) {
        require_row(fmt::format("has a row with a size of {}", size),
                    [&](const OpCase& row) { return has_size(row, size); });
      }
    }
    std::set<std::string> names;
    for (const OpCase& row : rows_) names.insert(row.name);
    require("has rows with names of their own", names.size() == rows_.size());
  }

  void require(const std::string& rule, bool holds) {
    report_.count(Check::completeness, "every op " + rule,
                  [&] { return holds ? "" : "this one does not"; });
  }
  void require_row(const std::string& rule, const std::function<bool(const OpCase&)>& holds) {
    require(rule, any_row(rows_, holds));
  }

  const OpDef& op_;
  const Rows& rows_;
  Report& report_;
};

}  // namespace

void check_completeness(const OpDef& op, const std::vector<OpCase>& rows, Report& report) {
  Completeness(op, rows, report).run();
}

}  // namespace mithril::tests
