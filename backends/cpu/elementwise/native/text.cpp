#include "backends/cpu/elementwise/native/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "backends/cpu/runtime/broadcast_iteration.hpp"

namespace mithril::cpu_backend {
namespace {

struct Spelled {
  int operands;
  std::string_view text;  // empty: a kernel computes it
};
constexpr Spelled spelled[] = {
#define MITHRIL_OPERATION(name, operands, vectors, text) {operands, text},
#include "backends/cpu/kernels/operations-inl.hpp"
};

const Spelled& spelling_of(Operation operation) { return spelled[static_cast<size_t>(operation)]; }

std::span<const Slot> operands(const Instruction& instruction) {
  const int count = spelling_of(instruction.operation).operands;
  return std::span(instruction.from).first(static_cast<size_t>(count));
}

// Shorter runs do not pay off a call each. Such inputs are staged.
constexpr int64_t least_run = 64;
constexpr int most_blocks = 24;

// Empty: the C++ compiler has no such type.
std::string_view c_type(DType dtype) {
  if (dtype == DType::boolean) return "unsigned char";
  if (dtype == DType::int32) return "__INT32_TYPE__";
  if (dtype == DType::int64) return "__INT64_TYPE__";
  if (dtype == DType::float32) return "float";
  return dtype == DType::float64 ? "double" : "";
}

Reading reading_of(const BroadcastIteration& iteration, DType dtype) {
  if (c_type(dtype).empty()) return Reading::staged;
  if (iteration.is_single()) return Reading::single;
  if (iteration.is_dense()) return Reading::dense;
  return iteration.run_size() >= least_run ? Reading::run : Reading::staged;
}

// Writes the function of a program. Kernels compute whole blocks, so a program with calls has
// several loops per block, its phases. A value that a later phase reads is kept in a block.
class ProgramText {
 public:
  ProgramText(const ShapedGraph& shaped, const ElementwiseProgram& program)
      : shaped_(shaped),
        program_(program),
        uniform_(static_cast<size_t>(program.slots)),
        phase_of_(static_cast<size_t>(program.slots)),
        block_of_(static_cast<size_t>(program.slots), -1) {
    read_inputs();
    for (const Instruction& at : program_.instructions) find_phase(at);
    for (const Instruction& at : program_.instructions) {
      for (const Slot slot : operands(at)) keep_until(slot, phase(at));
    }
    for (const ElementwiseProgram::Made& made : program_.outputs)
      keep_until(made.slot, last_phase_);
  }

  std::optional<NativeProgram> write() {
    if (staged_ > most_staged || blocks_ > most_blocks) return std::nullopt;
    const int64_t block = native_block_bytes / static_cast<int64_t>(size_of(program_.dtype));
    for (int i = 0; i < blocks_; ++i) before_ += fmt::format("  T block_{}[{}];\n", i, block);
    std::string phases;
    for (int phase = 0; phase <= last_phase_; ++phase) phases += phase_text(phase);
    native_.text = fmt::format(
        "(void* const* to, const void* const* from, const void* constants,\n"
        "    call_type call, const void* context, size_type count) {{\n"
        "{}"
        "  const size_type most = {};\n"
        "  for (size_type begin = 0; begin < count; begin += most) {{\n"
        "    const size_type size = count - begin < most ? count - begin : most;\n"
        "{}"
        "  }}\n"
        "}}\n",
        before_, last_phase_ > 0 ? std::to_string(block) : "count", phases);
    return std::move(native_);
  }

 private:
  static std::string name(Slot slot) { return fmt::format("s{}", slot); }

  int& phase_of(Slot slot) { return phase_of_[static_cast<size_t>(slot)]; }
  int& block_of(Slot slot) { return block_of_[static_cast<size_t>(slot)]; }
  static bool is_called(const Instruction& at) { return spelling_of(at.operation).text.empty(); }

  void read_inputs() {
    const std::string_view type = c_type(program_.dtype);
    before_ = fmt::format("  typedef {} T;\n", type);
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const ValueId id = program_.inputs[i];
      const BroadcastIteration iteration(program_.input_dims[i], program_.dims);
      const Reading reading = reading_of(iteration, shaped_.dtype(id));
      native_.readings.push_back(reading);
      staged_ += reading == Reading::staged;
      const std::string_view own = reading == Reading::staged ? type : c_type(shaped_.dtype(id));
      uniform_[i] =
          reading == Reading::single || (reading == Reading::run && iteration.is_repeated());
      before_ += fmt::format("  const {0}* const from_{1} = (const {0}*)from[{1}];\n", own, i);
      if (uniform_[i]) before_ += fmt::format("  const T s{0} = (T)*from_{0};\n", i);
    }
    for (size_t i = 0; i < program_.constants.size(); ++i) {
      uniform_[program_.inputs.size() + i] = true;
      before_ += fmt::format("  const T s{} = ((const T*)constants)[{}];\n",
                             program_.inputs.size() + i, i);
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const DType dtype = shaped_.dtype(program_.outputs[i].value);
      const bool stages = is_converted_after(dtype);
      staged_ += stages;
      before_ +=
          fmt::format("  {0}* const to_{1} = ({0}*)to[{1}];\n", stages ? type : c_type(dtype), i);
    }
  }

  // The phase of the instruction. Kernels run at the end of their phase.
  int phase(const Instruction& at) {
    int phase = 0;
    for (const Slot slot : operands(at)) phase = std::max(phase, phase_of(slot));
    return phase;
  }

  void find_phase(const Instruction& at) {
    phase_of(at.to) = phase(at) + is_called(at);
    last_phase_ = std::max(last_phase_, phase_of(at.to));
    if (is_called(at)) block_of(at.to) = blocks_++;
  }

  void keep_until(Slot slot, int phase) {
    if (slot >= program_.first_made() && phase_of(slot) < phase && block_of(slot) < 0) {
      block_of(slot) = blocks_++;
    }
  }

  // The loop of the phase, then its calls. The last phase writes the outputs, because they may
  // overwrite inputs.
  std::string phase_text(int phase) {
    std::vector<bool> loaded = uniform_;
    std::string inside, calls;
    const auto need = [&](Slot slot) {
      if (loaded[static_cast<size_t>(slot)]) return name(slot);
      loaded[static_cast<size_t>(slot)] = true;
      inside += fmt::format("      const T {} = {};\n", name(slot), load_text(slot));
      return name(slot);
    };
    for (const Instruction& at : program_.instructions) {
      if (this->phase(at) != phase) continue;
      if (is_called(at)) {
        const std::string operand = need(at.from.front());
        inside += fmt::format("      block_{}[i] = {};\n", block_of(at.to), operand);
        calls += fmt::format("    call(context, {}, block_{}, size);\n", native_.calls.size(),
                             block_of(at.to));
        native_.calls.push_back(at.operation);
        continue;
      }
      std::array<std::string, 4> names;
      for (size_t k = 0; k < operands(at).size(); ++k) names[k] = need(at.from[k]);
      const char* suffix = program_.dtype == DType::float32 ? "f" : "";
      const std::string value = fmt::format(fmt::runtime(spelling_of(at.operation).text), names[0],
                                            names[1], names[2], names[3], suffix);
      inside += fmt::format("      const T {} = (T)({});\n", name(at.to), value);
      loaded[static_cast<size_t>(at.to)] = true;
      if (block_of(at.to) >= 0) {
        inside += fmt::format("      block_{}[i] = {};\n", block_of(at.to), name(at.to));
      }
    }
    for (size_t i = 0; phase == last_phase_ && i < program_.outputs.size(); ++i) {
      const ElementwiseProgram::Made& made = program_.outputs[i];
      const std::string value = need(made.slot);
      const char* truth = shaped_.dtype(made.value) == DType::boolean ? " != 0" : "";
      inside += fmt::format("      to_{}[begin + i] = {}{};\n", i, value, truth);
    }
    // The iterations are independent: an output may overwrite only the same element of an input.
    return "#pragma clang loop vectorize(assume_safety)\n"
           "#pragma GCC ivdep\n"
           "    for (size_type i = 0; i < size; ++i) {\n" +
           inside + "    }\n" + calls;
  }

  std::string load_text(Slot slot) {
    if (block_of(slot) >= 0) return fmt::format("block_{}[i]", block_of(slot));
    return fmt::format("(T)from_{}[begin + i]", slot);
  }

  const ShapedGraph& shaped_;
  const ElementwiseProgram& program_;
  NativeProgram native_;
  std::string before_;
  std::vector<bool> uniform_;  // per slot: all elements have the same value
  std::vector<int> phase_of_;  // per slot: the first phase that can read it
  std::vector<int> block_of_;  // per slot; -1: none
  int last_phase_ = 0, blocks_ = 0;
  size_t staged_ = 0;
};

}  // namespace

std::optional<NativeProgram> native_program(const ShapedGraph& shaped,
                                            const ElementwiseProgram& program) {
  return ProgramText(shaped, program).write();
}

std::string native_name(size_t program) { return fmt::format("loop_{}", program); }

std::string native_source(std::span<const std::string> texts, const std::string& mark) {
  std::string source =
      "typedef __INT64_TYPE__ size_type;\n"
      "typedef void (*call_type)(const void*, size_type, void*, size_type);\n";
  for (size_t i = 0; i < texts.size(); ++i) {
    source += fmt::format("\nextern \"C\" void {}{}", native_name(i), texts[i]);
  }
  return source + fmt::format("\nextern \"C\" {{ char {}; }}\n", mark);
}

}  // namespace mithril::cpu_backend
