#include "backends/cpu/executable.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/execution_plan.hpp"
#include "backends/cpu/memory/arenas.hpp"
#include "backends/cpu/memory/result_memory.hpp"
#include "backends/cpu/rewrite/decompose_batch_norm.hpp"
#include "backends/cpu/rewrite/legalize_half.hpp"
#include "backends/cpu/runtime/half_elements.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/base/text.hpp"
#include "mithril/eval/size_cache.hpp"

namespace mithril::cpu_backend {
namespace {

// What somebody looks at stays as it is.
Graph rewritten(const Graph& graph, const PlanOptions& options) {
  return widen_halves(options.observer ? graph : loop_batch_norms(graph),
                      {.bfloat16_products = options.bfloat16_products});
}

class Planned final : public Executable {
 public:
  Planned(const Graph& graph, PlanOptions options)
      : graph_(rewritten(graph, options)),
        sizes_(graph_),
        options_(std::move(options)),
        packed_(graph_) {
    for (const Node& node : graph_.nodes()) {
      shown_.push_back(options_.observer && options_.observer->wants(node));
    }
    if (options_.native) compile_loops();
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    MITHRIL_CHECK(inputs.size() == graph_.inputs().size(),
                  "the graph takes another number of inputs");
    const std::shared_ptr<const Program> program = program_for(inputs);
    const ArenaLoan loan(arenas_, program->arena_bytes, program->bases);
    const std::span<std::byte*> bases = loan.bases();
    // Nothing writes to what it was given, but where it was donated.
    const auto base = [](const Tensor& tensor) {
      return static_cast<std::byte*>(const_cast<void*>(tensor.raw_data()));
    };
    std::vector<Tensor> moved;
    if (std::any_of(inputs.begin(), inputs.end(), begins_between_floats)) {
      moved.assign(inputs.begin(), inputs.end());
      for (Tensor& tensor : moved) tensor = where_floats_begin(tensor);
      inputs = moved;
    }
    for (size_t i = 0; i < inputs.size(); ++i) place(bases[1 + i], base(inputs[i]));
    for (const HeldConstant& held : program->constants) place(bases[held.base], base(held.tensor));
    std::vector<Tensor> results;
    results.reserve(program->results.size());
    for (const Result& result : program->results) {
      results.push_back(begin(*program, result, inputs, results));
      if (result.from == Result::From::buffer) place(bases[result.index], base(results.back()));
    }
    run_steps(*program, bases, loan.turns());
    return results;
  }

  std::vector<std::string> notes() const override {
    std::shared_ptr<const Program> program;
    try {
      program = shown_program();
    } catch (const Error& error) {
      return {"evaluating is refused: " + error.details().message};
    }
    std::vector<std::string> notes;
    if (!options_.native_note.empty()) notes.push_back(options_.native_note);
    if (!program) {
      if (options_.native) notes.push_back(native_outlook());
      return notes;
    }
    if (options_.native) notes.push_back(program->native_note);
    return notes;
  }

  std::optional<int64_t> run_bytes() const override {
    try {
      const auto program = shown_program();
      return program ? std::optional(program->arena_bytes + program->buffer_bytes) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  // What stays the same stays in the caches of all threads.
  static void place(std::byte*& base, std::byte* at) {
    if (base != at) base = at;
  }

  static void run_steps(const Program& program, std::span<std::byte* const> bases, Turns& turns) {
    const BufferTable forward(bases), backward(bases, Direction::backward);
    size_t next = 0;
    try {
      for (; next < program.steps.size(); ++next) {
        if (next < program.untouched_steps) check_interrupt();
        const Direction direction = turns.next(program.passings[next]);
        program.steps[next]->run(direction == Direction::forward ? forward : backward);
      }
    } catch (const Error& error) {
      if (next < program.untouched_steps) throw;
      ErrorDetails details = error.details();
      details.facts.push_back({"donated", "some inputs have been written to"});
      raise(std::move(details));
    } catch (const std::bad_alloc&) {
      if (next < program.untouched_steps) throw;
      raise_out_of_memory_after_writing();
    }
  }

  std::shared_ptr<const Program> program_for(std::span<const Tensor> inputs) const {
    const auto fits = [&](const Program& program) {
      return std::equal(inputs.begin(), inputs.end(), program.plan.inputs.begin(),
                        [](const Tensor& input, const Dims& dims) { return input.dims() == dims; });
    };
    return programs_.find_or_make(fits, [&] {
      return make_program(graph_, make_plan(graph_, sizes_, inputs),
                          {.packed = packed_,
                           .threads = options_.threads,
                           .observer = options_.observer.get(),
                           .shown = &shown_,
                           .memory_limit = options_.memory_limit,
                           .winograd = options_.winograd,
                           .fuse = options_.fuse,
                           .donations = options_.donations,
                           .native = options_.native,
                           .weight_dtype = options_.weight_dtype,
                           .bfloat16_products = options_.bfloat16_products});
    });
  }

  // What a run gives, to be written where it is made anew.
  Tensor begin(const Program& program, const Result& result, std::span<const Tensor> inputs,
               std::span<const Tensor> results) const {
    switch (result.from) {
      case Result::From::input:
        return inputs[result.index];
      case Result::From::constant:
        return program.constants[result.index].tensor;
      case Result::From::result:
        return results[result.index];
      case Result::From::buffer:
        break;
    }
    return results_.take(result.dtype, result.dims);
  }

  // Before the first evaluation, where sizes are known: it takes the longest of a plan. What is
  // refused here is refused again when it is evaluated.
  void compile_loops() const {
    try {
      shown_program();
    } catch (const Error&) {
    }
  }

  // Where the sizes of the inputs are known before they come; null where they are not.
  std::shared_ptr<const Program> shown_program() const {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph_.inputs()) {
      const Value& value = graph_.value(id);
      if (!value.ranked) return nullptr;
      Dims dims;
      for (const Dim& dim : value.dims) {
        if (!resolve(dim).is_constant()) return nullptr;
        dims.push_back(resolve(dim).constant());
      }
      inputs.push_back(stand_in(value.dtype, std::move(dims)));
    }
    return program_for(inputs);
  }

  const Graph graph_;
  const SizedGraph sizes_;
  const PlanOptions options_;
  std::vector<bool> shown_;  // per node: whether the observer wants what it makes
  mutable PackedConstants packed_;
  const SizeCache<Program> programs_ = {};
  mutable Arenas arenas_;
  const ResultMemory results_;
};

}  // namespace

std::unique_ptr<Executable> make_planned(const Graph& graph, PlanOptions options) {
  return std::make_unique<Planned>(graph, std::move(options));
}

}  // namespace mithril::cpu_backend
