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

struct PairedForm {
  GemmShape form;
  VnniOperand left, right;

  explicit PairedForm(GemmShape of)
      : form(std::move(of)),
        left{form.rows, form.depth, form.a_column_step == 1},
        right{form.columns, form.depth, form.b_row_step == 1} {}

  // The GEMM without pointers to its operands.
  Gemm<float> product() const {
    return {.kernels = &bfloat16_kernels()->products,
            .rows = form.rows,
            .columns = form.columns,
            .depth = left.pairs(),
            .left = {nullptr, left.line_step(), left.pair_step()},
            .right = {nullptr, right.pair_step(), right.line_step()}};
  }
};

struct PairedBuffers {
  BufferRef left, right;
  std::optional<BufferRef> bias;
  BufferRef product, scratch;
};

class Bf16GemmStep final : public Step {
 public:
  Bf16GemmStep(PairedForm form, int threads, PairedBuffers refs, PackedWeights::Bytes packed,
               std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        plan_(form_.product()),
        threads_(threads),
        refs_(refs),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {}

  static int64_t scratch_bytes(const PairedForm& form, bool packed) {
    const GemmPlan plan(form.product());
    int64_t pairs = whole_lines(form.left.brought());
    if (!packed) pairs += whole_lines(form.right.brought());
    if (!packed && plan.packs()) pairs += plan.packed_count();
    return pairs * int64_t{sizeof(float)};
  }

  void run(const BufferTable& buffers) const override {
    const auto *left = buffers.read<uint16_t>(refs_.left),
               *right = buffers.read<uint16_t>(refs_.right);
    Gemm<float> product = form_.product();
    product.packed = reinterpret_cast<const float*>(packed_.get());
    if (refs_.bias) product.bias = buffers.read<float>(*refs_.bias);
    product.product = buffers.write<float>(refs_.product);
    const int64_t size = form_.form.rows * form_.form.columns;
    int64_t origin = 0;
    for (const Meeting& meeting : form_.form.meetings) {
      auto* scratch = buffers.write<float>(refs_.scratch);
      product.left.data = pairs_of(form_.left, left + meeting.left, scratch);
      if (!packed_) {
        product.right.data = pairs_of(form_.right, right + meeting.right, scratch);
        if (plan_.packs()) pack(product, scratch);
      }
      product.epilogue = Epilogue(epilogue_.get(), &buffers, origin);
      ThreadPool::shared().run(plan_.tasks(threads_), threads_, [&](int task) {
        multiply(product, plan_, plan_.block(task, threads_));
      });
      origin += size;
      product.product += size;
    }
  }

 private:
  const float* pairs_of(const VnniOperand& side, const uint16_t* from, float*& scratch) const {
    if (side.stands()) return reinterpret_cast<const float*>(from);
    float* to = std::exchange(scratch, scratch + whole_lines(side.brought()));
    const int64_t units = side.units();
    const int parts =
        task_count({.amount = side.brought(), .pieces = units, .grain_size = 1 << 15}, threads_);
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      side.bring(*bfloat16_kernels(), from, units * part / parts, units * (part + 1) / parts, to);
    });
    return to;
  }

  void pack(Gemm<float>& product, float* to) const {
    const int64_t panels = plan_.panels();
    const auto parts = static_cast<int>(std::min<int64_t>(plan_.tasks(threads_), panels));
    ThreadPool::shared().run(parts, threads_, [&](int part) {
      pack_b(product, panels * part / parts, panels * (part + 1) / parts, to);
    });
    product.packed = to;
  }

  PairedForm form_;
  GemmPlan plan_;
  int threads_;
  PairedBuffers refs_;
  PackedWeights::Bytes packed_;
  std::unique_ptr<ElementStep> epilogue_;  // null: none
};

PackedWeights::Bytes right_in_pairs(const LoweringContext& context, const PairedForm& form,
                                    Side right) {
  const PackedFormat format{.layout = PackedLayout::vnni_gemm, .transposed = right.transposed};
  return context.packed.pack(right.id, format, [&](const Tensor& tensor) {
    const Tensor host = where_floats_begin(tensor.host());
    const auto* from = static_cast<const uint16_t*>(host.raw_data());
    std::vector<float> brought(static_cast<size_t>(form.right.brought()));
    Gemm<float> product = form.product();
    product.right.data = reinterpret_cast<const float*>(from);
    if (!form.right.stands()) {
      form.right.bring(*bfloat16_kernels(), from, 0, form.right.units(), brought.data());
      product.right.data = brought.data();
    }
    const GemmPlan plan(product);
    auto packed = context.packed.allocate(plan.packed_count() * int64_t{sizeof(float)});
    ThreadPool::shared().run(
        static_cast<int>(plan.panels()), context.config.threads, [&](int panel) {
          pack_b(product, panel, panel + 1, reinterpret_cast<float*>(packed.get()));
        });
    return packed;
  });
}

}  // namespace

std::optional<StepDescriptor> lower_bf16_gemm(const LoweringContext& context, Side left, Side right,
                                              std::optional<Side> bias, ValueId product) {
  const ShapedGraph& shaped = context.shaped;
  const bool both =
      shaped.dtype(left.id) == DType::bfloat16 && shaped.dtype(right.id) == DType::bfloat16;
  if (!both || !context.config.bfloat16_products || !bfloat16_kernels()) return std::nullopt;
  const GemmShape plain = gemm_shape(shaped, left, right, product);
  if (plain.depth == 0) return std::nullopt;
  const PairedForm form(plain);
  PackedWeights::Bytes packed;
  if (is_packed(context, plain, right)) packed = right_in_pairs(context, form, right);
  std::vector<ValueId> reads{left.id};
  if (!packed) reads.push_back(right.id);
  if (bias) reads.push_back(bias->id);
  const auto make = [=, threads = context.config.threads](const BufferRefs& refs, BufferRef scratch,
                                                          std::unique_ptr<ElementStep> epilogue) {
    PairedBuffers at{.left = refs[index(left.id)],
                     .right = refs[index(right.id)],
                     .bias = {},
                     .product = refs[index(product)],
                     .scratch = scratch};
    if (bias) at.bias = refs[index(bias->id)];
    return std::make_unique<Bf16GemmStep>(form, threads, at, packed, std::move(epilogue));
  };
  return StepDescriptor{.reads = reads,
                        .writes = {product},
                        .scratch_bytes = Bf16GemmStep::scratch_bytes(form, packed != nullptr),
                        .make = [make](const BufferRefs& refs,
                                       BufferRef scratch) { return make(refs, scratch, nullptr); },
                        .make_with_epilogue = make};
}

}  // namespace mithril::cpu_backend
