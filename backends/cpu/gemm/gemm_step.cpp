#include "backends/cpu/gemm/gemm_step.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backends/cpu/gemm/bf16_gemm.hpp"
#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/half_weights.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
const GemmKernels<T>& kernels_of(const GemmShape& shape) {
  if constexpr (std::is_same_v<T, float>) {
    if (shape.stored) return stored_matmul_kernels(*shape.stored).gemm;
  }
  return gemm_kernels<T>();
}

template <typename T>
class GemmStep final : public Step {
 public:
  GemmStep(GemmShape shape, int threads, BufferRef a, BufferRef b, std::optional<BufferRef> bias,
           BufferRef c, BufferRef scratch, PackedWeights::Bytes packed,
           std::unique_ptr<ElementStep> epilogue)
      : shape_(std::move(shape)),
        gemm_(gemm_of(shape_)),
        plan_(gemm_),
        threads_(threads),
        a_(a),
        b_(b),
        bias_(bias),
        c_(c),
        scratch_(scratch),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {
    const int tasks = plan_.tasks(threads);
    for (int task = 0; task < tasks; ++task) blocks_.push_back(plan_.block(task, threads));
  }

  // The GEMM without pointers to its operands.
  static Gemm<T> gemm_of(const GemmShape& shape) {
    return {.kernels = &kernels_of<T>(shape),
            .m = shape.m,
            .n = shape.n,
            .k = shape.k,
            .a = {nullptr, shape.a_row_step, shape.a_column_step},
            .b = {nullptr, shape.b_row_step, shape.b_column_step}};
  }

  // Scratch memory in bytes: B is packed at run time if packing pays off.
  static int64_t scratch_bytes(const GemmShape& shape, bool packed) {
    const GemmPlan plan(gemm_of(shape));
    return packed || !plan.packs() ? 0 : plan.packed_count() * int64_t{sizeof(T)};
  }

  void run(const BufferTable& buffers) const override {
    Gemm<T> gemm = begin(buffers);
    const T *a = gemm.a.data, *b = gemm.b.data;
    int64_t origin = 0;
    for (const BatchOffsets& batch : shape_.batches) {
      gemm.epilogue = Epilogue(epilogue_.get(), &buffers, origin);
      origin += shape_.m * shape_.n;
      gemm.a.data = a + batch.a;
      gemm.b.data = b + batch.b;
      multiply_one(gemm, buffers);
      gemm.c += shape_.m * shape_.n;
    }
  }

 private:
  Gemm<T> begin(const BufferTable& buffers) const {
    Gemm<T> gemm = gemm_;
    gemm.a.data = buffers.read<T>(a_);
    gemm.b.data = buffers.read<T>(b_);
    gemm.packed_b = reinterpret_cast<const T*>(packed_.get());
    if (bias_) gemm.bias = buffers.read<T>(*bias_);
    gemm.c = buffers.write<T>(c_);
    return gemm;
  }

  void multiply_one(Gemm<T>& gemm, const BufferTable& buffers) const {
    ThreadPool& pool = ThreadPool::shared();
    if (!packed_ && plan_.packs()) {
      T* packed = buffers.write<T>(scratch_);
      const int64_t panels = plan_.panels();
      const auto parts = std::min(static_cast<int>(panels), static_cast<int>(blocks_.size()));
      pool.run(parts, threads_, [&](int part) {
        pack_b(gemm, panels * part / parts, panels * (part + 1) / parts, packed);
      });
      gemm.packed_b = packed;
    }
    pool.run(static_cast<int>(blocks_.size()), threads_,
             [&](int task) { multiply(gemm, plan_, blocks_[static_cast<size_t>(task)]); });
  }

  GemmShape shape_;
  Gemm<T> gemm_;  // the pointers are null
  GemmPlan plan_;
  std::vector<Block> blocks_;  // per task
  int threads_;
  BufferRef a_, b_;
  std::optional<BufferRef> bias_;
  BufferRef c_, scratch_;
  PackedWeights::Bytes packed_;
  std::unique_ptr<ElementStep> epilogue_;  // null: none
};

// ---- from a node ----

std::optional<GemmOperand> operand_of(const PlannedNode& planned, const Node& node,
                                      const SpelledExpression& argument) {
  const bool transposed = argument.kind == SpelledExpression::Kind::call;
  MITHRIL_CHECK(!transposed || argument.text == "transposed",
                "a side of a product is a port or transposed(port)");
  const std::string& port = transposed ? argument.children.front().text : argument.text;
  const int32_t at = planned.tensors[node.argument_index(port)];
  if (at < 0) return std::nullopt;
  return GemmOperand{static_cast<ValueId>(at), transposed};
}

// Reads a transposed operand from its source.
GemmOperand read_through(const LoweringContext& context, GemmOperand operand) {
  const std::optional<ValueId> source = context.transposes[index(operand.id)];
  return source ? GemmOperand{*source, !operand.transposed} : operand;
}

template <typename T>
PackedWeights::Bytes packed_b(const LoweringContext& context, const GemmShape& shape,
                              GemmOperand b) {
  const PackedFormat format{
      .layout = PackedLayout::gemm, .stored = shape.stored, .transposed = b.transposed};
  return context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    Gemm<T> gemm = GemmStep<T>::gemm_of(shape);
    const GemmPlan plan(gemm);
    const Tensor host = is_half(tensor.dtype()) ? tensor.to(dtype_of<T>) : tensor.host();
    gemm.b.data = host.data<T>();
    const int64_t bytes = plan.packed_count() * int64_t{sizeof(T)} / gemm.kernels->packing;
    auto packed = context.packed.allocate(bytes);
    if constexpr (std::is_same_v<T, float>) {
      if (shape.stored) {
        pack_half_weights(gemm, stored_matmul_kernels(*shape.stored),
                          reinterpret_cast<uint16_t*>(packed.get()));
        return packed;
      }
    }
    ThreadPool::shared().run(
        static_cast<int>(plan.panels()), context.config.threads,
        [&](int panel) { pack_b(gemm, panel, panel + 1, reinterpret_cast<T*>(packed.get())); });
    return packed;
  });
}

template <typename T>
std::optional<StepDescriptor> gemm_descriptor(const LoweringContext& context, GemmOperand a,
                                              GemmOperand b, std::optional<GemmOperand> bias,
                                              ValueId c) {
  GemmShape shape = gemm_shape(context.shaped, a, b, c);
  PackedWeights::Bytes packed;
  const DType given = context.shaped.dtype(b.id);
  if (is_packed(context, shape, b)) {
    if (is_half(given)) {
      shape.stored = given;
    } else if (given == DType::float32) {
      shape.stored = context.config.weight_dtype;
    }
    packed = packed_b<T>(context, shape, b);
  } else if (given != dtype_of<T>) {
    return std::nullopt;
  }
  std::vector<ValueId> reads{a.id};
  if (!packed) reads.push_back(b.id);
  if (bias) reads.push_back(bias->id);
  const auto make = [=, threads = context.config.threads](const BufferRefs& refs, BufferRef scratch,
                                                          std::unique_ptr<ElementStep> epilogue) {
    std::optional<BufferRef> bias_ref;
    if (bias) bias_ref = refs[index(bias->id)];
    return std::make_unique<GemmStep<T>>(shape, threads, refs[index(a.id)], refs[index(b.id)],
                                         bias_ref, refs[index(c)], scratch, packed,
                                         std::move(epilogue));
  };
  return StepDescriptor{.reads = reads,
                        .writes = {c},
                        .scratch_bytes = GemmStep<T>::scratch_bytes(shape, packed != nullptr),
                        .make = [make](const BufferRefs& refs,
                                       BufferRef scratch) { return make(refs, scratch, nullptr); },
                        .make_with_epilogue = make};
}

}  // namespace

std::optional<StepDescriptor> lower_gemm(const LoweringContext& context, size_t at,
                                         const SpelledExpression& call) {
  const Node& node = context.shaped.node(at);
  const PlannedNode& planned = context.shaped.planned(at);
  const ValueId c = node.outputs.front();
  const DType dtype = context.shaped.dtype(c);
  std::vector<std::optional<GemmOperand>> operands;
  for (const SpelledExpression& argument : call.children) {
    operands.push_back(operand_of(planned, node, argument));
    if (!operands.back()) continue;
    const DType given = context.shaped.dtype(operands.back()->id);
    const bool may_be_half = operands.size() <= 2 && dtype == DType::float32 && is_half(given);
    if (given != dtype && !may_be_half) return std::nullopt;
  }
  if (!operands[0] || !operands[1]) return std::nullopt;
  const GemmOperand a = read_through(context, *operands[0]),
                    b = read_through(context, *operands[1]);
  const std::optional<GemmOperand> bias = operands.size() > 2 ? operands[2] : std::nullopt;
  if (is_half(context.shaped.dtype(a.id))) {
    return lower_bf16_gemm(context, a, b, bias, c);
  }
  if (dtype == DType::float32) return gemm_descriptor<float>(context, a, b, bias, c);
  if (dtype == DType::float64) return gemm_descriptor<double>(context, a, b, bias, c);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
