#include "backends/cpu/gemm/integer_gemm.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/runtime/int16_operand.hpp"

namespace mithril::cpu_backend {
namespace {

struct IntegerSide {
  ValueId id;
  std::optional<TypedValue> zero;
  Int16Operand operand;
};

Gemm<int32_t> gemm_of(const GemmShape& shape, const Int16Operand& left, const Int16Operand& right) {
  return {.kernels = &gemm_kernels<int32_t>(),
          .m = shape.m,
          .n = shape.n,
          .k = left.pairs(),
          .a = {nullptr, left.line_step(), left.pair_step()},
          .b = {nullptr, right.pair_step(), right.line_step()}};
}

class IntegerGemmStep final : public TiledStep {
 public:
  IntegerGemmStep(GemmShape shape, IntegerSide left, IntegerSide right, ValueId made, int threads,
                  PackedWeights::Bytes packed)
      : shape_(std::move(shape)),
        left_(std::move(left)),
        right_(std::move(right)),
        made_(made),
        gemm_(gemm_of(shape_, left_.operand, right_.operand)),
        plan_(gemm_),
        tasks_(plan_, threads),
        threads_(threads),
        packed_(std::move(packed)) {}

  bool alternates_in_loops() const override { return packed_ != nullptr; }
  // The pairs of both matrices, and the panels of the right one.
  int64_t scratch_bytes() const override {
    int64_t count = left_.operand.scratch_count();
    if (!packed_) {
      count += right_.operand.scratch_count() + (plan_.packs() ? plan_.packed_count() : 0);
    }
    return count * int64_t{sizeof(int32_t)};
  }

  void run(const BufferTable& buffers) const override {
    const int32_t left_zero = zero_point(buffers, left_.zero);
    const int32_t right_zero = zero_point(buffers, right_.zero);
    const auto* left = buffers.read<std::byte>(left_.id);
    const auto* right = packed_ ? nullptr : buffers.read<std::byte>(right_.id);
    auto* const left_pairs = buffers.scratch<int32_t>();
    int32_t* const right_pairs = left_pairs + left_.operand.scratch_count();
    Gemm<int32_t> gemm = gemm_;
    gemm.packed_b = reinterpret_cast<const int32_t*>(packed_.get());
    gemm.a.data = left_pairs;
    gemm.b.data = packed_ ? nullptr : right_pairs;
    gemm.c = buffers.write<int32_t>(made_);
    gemm.direction = buffers.direction();
    const int64_t size = gemm.m * gemm.n;
    int64_t origin = 0;
    for (const BatchOffsets& batch : shape_.batches) {
      left_.operand.pack(left + batch.a * bytes_of(left_), left_zero, threads_, left_pairs);
      if (!packed_) {
        right_.operand.pack(right + batch.b * bytes_of(right_), right_zero, threads_, right_pairs);
        if (plan_.packs()) {
          int32_t* const panels = right_pairs + right_.operand.scratch_count();
          pack_in_parts(gemm, plan_.panels(), threads_, panels);
          gemm.packed_b = panels;
        }
      }
      gemm.epilogue = Epilogue(epilogue.get(), &buffers, origin);
      tasks_.run(gemm);
      origin += size;
      gemm.c += size;
    }
  }

 private:
  static int64_t bytes_of(const IntegerSide& side) {
    return static_cast<int64_t>(size_of(side.operand.dtype));
  }

  GemmShape shape_;
  IntegerSide left_, right_;
  ValueId made_;
  Gemm<int32_t> gemm_;  // the pointers are null
  GemmPlan plan_;
  GemmTasks tasks_;
  int threads_;
  PackedWeights::Bytes packed_;  // null: each run packs the right matrix
};

// The panels of a constant matrix without a zero point.
PackedWeights::Bytes packed_panels(const LoweringContext& context, const GemmShape& shape,
                                   const Int16Operand& left, const IntegerSide& right) {
  const PackedFormat format{.layout = PackedLayout::int16_gemm};
  return context.packed.pack(right.id, format, [&](const Tensor& tensor) {
    const Tensor host = tensor.host();
    std::vector<int32_t> pairs(static_cast<size_t>(right.operand.count()));
    right.operand.pack(host.raw_data(), 0, context.config.threads, pairs.data());
    Gemm<int32_t> gemm = gemm_of(shape, left, right.operand);
    gemm.b.data = pairs.data();
    const GemmPlan plan(gemm);
    auto packed = context.packed.allocate(plan.packed_count() * int64_t{sizeof(int32_t)});
    pack_in_parts(gemm, plan.panels(), context.config.threads,
                  reinterpret_cast<int32_t*>(packed.get()));
    return packed;
  });
}

}  // namespace

std::optional<StepDescriptor> lower_integer_gemm(const KernelCall& call) {
  const LoweringContext& context = call.context;
  const ValueId made = call.made();
  const ValueId left_id = *call.tensor(0), right_id = *call.tensor(1);
  GemmShape shape = gemm_shape(context.shaped, {left_id}, {right_id}, made);
  const auto zero = [&](size_t argument) -> std::optional<TypedValue> {
    const auto id = call.tensor(argument);
    if (!id) return std::nullopt;
    return TypedValue{*id, context.shaped.dtype(*id)};
  };
  IntegerSide left{left_id, zero(2), {context.shaped.dtype(left_id), shape.m, shape.k, true}};
  IntegerSide right{right_id, zero(3), {context.shaped.dtype(right_id), shape.n, shape.k, false}};
  StepDescriptor descriptor{.reads = {left_id}, .writes = {made}, .takes_epilogue = true};
  PackedWeights::Bytes packed;
  if (!right.zero && is_packed(context, shape, {right_id})) {
    packed = packed_panels(context, shape, left.operand, right);
  } else {
    descriptor.reads.push_back(right_id);
  }
  for (const auto& at : {left.zero, right.zero}) {
    if (at) descriptor.reads.push_back(at->id);
  }
  descriptor.step =
      std::make_unique<IntegerGemmStep>(std::move(shape), std::move(left), std::move(right), made,
                                        context.config.threads, std::move(packed));
  return descriptor;
}

}  // namespace mithril::cpu_backend
