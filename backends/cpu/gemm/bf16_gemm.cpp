#include "backends/cpu/gemm/bf16_gemm.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/vnni_operand.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/runtime/half_elements.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

struct VnniGemm {
  GemmShape shape;
  VnniOperand a, b;

  explicit VnniGemm(GemmShape of)
      : shape(std::move(of)),
        a{shape.m, shape.k, shape.a_column_step == 1},
        b{shape.n, shape.k, shape.b_row_step == 1} {}

  // The GEMM without pointers to its operands.
  Gemm<float> pairs() const {
    return {.kernels = &bfloat16_kernels()->gemm,
            .m = shape.m,
            .n = shape.n,
            .k = a.pairs(),
            .a = {nullptr, a.line_step(), a.pair_step()},
            .b = {nullptr, b.pair_step(), b.line_step()}};
  }
};

struct VnniBuffers {
  BufferRef a, b;
  std::optional<BufferRef> bias;
  BufferRef c, scratch;
};

class Bf16GemmStep final : public Step {
 public:
  Bf16GemmStep(VnniGemm gemm, int threads, VnniBuffers refs, PackedWeights::Bytes packed,
               std::unique_ptr<ElementStep> epilogue)
      : gemm_(std::move(gemm)),
        plan_(gemm_.pairs()),
        threads_(threads),
        refs_(refs),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {}

  static int64_t scratch_bytes(const VnniGemm& gemm, bool packed) {
    const GemmPlan plan(gemm.pairs());
    int64_t pairs = whole_lines(gemm.a.packed_count());
    if (!packed) pairs += whole_lines(gemm.b.packed_count());
    if (!packed && plan.packs()) pairs += plan.packed_count();
    return pairs * int64_t{sizeof(float)};
  }

  void run(const BufferTable& buffers) const override {
    const auto *a = buffers.read<uint16_t>(refs_.a), *b = buffers.read<uint16_t>(refs_.b);
    Gemm<float> pairs = gemm_.pairs();
    pairs.packed_b = reinterpret_cast<const float*>(packed_.get());
    if (refs_.bias) pairs.bias = buffers.read<float>(*refs_.bias);
    pairs.c = buffers.write<float>(refs_.c);
    const int64_t size = gemm_.shape.m * gemm_.shape.n;
    int64_t origin = 0;
    for (const BatchOffsets& batch : gemm_.shape.batches) {
      auto* scratch = buffers.write<float>(refs_.scratch);
      pairs.a.data = pairs_of(gemm_.a, a + batch.a, scratch);
      if (!packed_) {
        pairs.b.data = pairs_of(gemm_.b, b + batch.b, scratch);
        if (plan_.packs()) pack(pairs, scratch);
      }
      pairs.epilogue = Epilogue(epilogue_.get(), &buffers, origin);
      ThreadPool::shared().run(plan_.tasks(threads_), threads_, [&](int task) {
        multiply(pairs, plan_, plan_.block(task, threads_));
      });
      origin += size;
      pairs.c += size;
    }
  }

 private:
  const float* pairs_of(const VnniOperand& operand, const uint16_t* from, float*& scratch) const {
    if (operand.in_place()) return reinterpret_cast<const float*>(from);
    float* to = std::exchange(scratch, scratch + whole_lines(operand.packed_count()));
    const Work work{
        .amount = operand.packed_count(), .pieces = operand.units(), .grain_size = 1 << 15};
    run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
      operand.pack(*bfloat16_kernels(), from, first, last, to);
    });
    return to;
  }

  void pack(Gemm<float>& pairs, float* to) const {
    const int64_t panels = plan_.panels();
    const auto parts = static_cast<int>(std::min<int64_t>(plan_.tasks(threads_), panels));
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      pack_b(pairs, panels * part / parts, panels * (part + 1) / parts, to);
    });
    pairs.packed_b = to;
  }

  VnniGemm gemm_;
  GemmPlan plan_;
  int threads_;
  VnniBuffers refs_;
  PackedWeights::Bytes packed_;
  std::unique_ptr<ElementStep> epilogue_;  // null: none
};

PackedWeights::Bytes packed_vnni_b(const LoweringContext& context, const VnniGemm& gemm,
                                   GemmOperand b) {
  const PackedFormat format{.layout = PackedLayout::vnni_gemm, .transposed = b.transposed};
  return context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const Tensor host = where_floats_begin(tensor.host());
    const auto* from = static_cast<const uint16_t*>(host.raw_data());
    std::vector<float> pairs_of_b(static_cast<size_t>(gemm.b.packed_count()));
    Gemm<float> pairs = gemm.pairs();
    pairs.b.data = reinterpret_cast<const float*>(from);
    if (!gemm.b.in_place()) {
      gemm.b.pack(*bfloat16_kernels(), from, 0, gemm.b.units(), pairs_of_b.data());
      pairs.b.data = pairs_of_b.data();
    }
    const GemmPlan plan(pairs);
    auto packed = context.packed.allocate(plan.packed_count() * int64_t{sizeof(float)});
    ThreadPool::shared().run(
        static_cast<int>(plan.panels()), context.config.threads, [&](int panel) {
          pack_b(pairs, panel, panel + 1, reinterpret_cast<float*>(packed.get()));
        });
    return packed;
  });
}

}  // namespace

std::optional<StepDescriptor> lower_bf16_gemm(const LoweringContext& context, GemmOperand a,
                                              GemmOperand b, std::optional<GemmOperand> bias,
                                              ValueId c) {
  const ShapedGraph& shaped = context.shaped;
  const bool both = shaped.dtype(a.id) == DType::bfloat16 && shaped.dtype(b.id) == DType::bfloat16;
  if (!both || !context.config.bfloat16_products || !bfloat16_kernels()) return std::nullopt;
  const GemmShape shape = gemm_shape(shaped, a, b, c);
  if (shape.k == 0) return std::nullopt;
  const VnniGemm gemm(shape);
  PackedWeights::Bytes packed;
  if (is_packed(context, shape, b)) packed = packed_vnni_b(context, gemm, b);
  std::vector<ValueId> reads{a.id};
  if (!packed) reads.push_back(b.id);
  if (bias) reads.push_back(bias->id);
  const auto make = [=, threads = context.config.threads](const BufferRefs& refs, BufferRef scratch,
                                                          std::unique_ptr<ElementStep> epilogue) {
    VnniBuffers buffers{.a = refs[index(a.id)],
                        .b = refs[index(b.id)],
                        .bias = {},
                        .c = refs[index(c)],
                        .scratch = scratch};
    if (bias) buffers.bias = refs[index(bias->id)];
    return std::make_unique<Bf16GemmStep>(gemm, threads, buffers, packed, std::move(epilogue));
  };
  return StepDescriptor{.reads = reads,
                        .writes = {c},
                        .scratch_bytes = Bf16GemmStep::scratch_bytes(gemm, packed != nullptr),
                        .make = [make](const BufferRefs& refs,
                                       BufferRef scratch) { return make(refs, scratch, nullptr); },
                        .make_with_epilogue = make};
}

}  // namespace mithril::cpu_backend
