#include "backends/cpu/gemm/gemm_step.hpp"

#include <algorithm>
#include <bit>

#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/gemm_tasks.hpp"
#include "backends/cpu/gemm/integer_valued_gemm.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/elements.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// The offsets of the matrices of an operand that a batch reads, in elements.
std::vector<int64_t> matrices(const Dims& dims, const Dims& c) {
  std::vector<int64_t> all =
      broadcast_elements({dims.begin(), dims.end() - 2}, {c.begin(), c.end() - 2});
  for (int64_t& at : all) at *= dims.end()[-2] * dims.back();
  return all;
}

// Whether all batches share one B. The rows of all A are then rows of one matrix.
bool is_shared(const Dims& b) {
  return std::all_of(b.begin(), b.end() - 2, [](int64_t size) { return size == 1; });
}

}  // namespace

GemmShape gemm_shape(const ShapedGraph& shaped, GemmOperand a, GemmOperand b, ValueId c) {
  const Dims &a_dims = shaped.dims(a.id), &b_dims = shaped.dims(b.id), &c_dims = shaped.dims(c);
  GemmShape shape{.m = c_dims[c_dims.size() - 2],
                  .n = c_dims.back(),
                  .k = a_dims[a_dims.size() - (a.transposed ? 2 : 1)],
                  .a_row_step = a.transposed ? 1 : a_dims.back(),
                  .a_column_step = a.transposed ? a_dims.back() : 1,
                  .b_row_step = b.transposed ? 1 : b_dims.back(),
                  .b_column_step = b.transposed ? b_dims.back() : 1,
                  .batches = {}};
  if (is_shared(b_dims) && !a.transposed && shape.n > 0) {
    shape.m = shaped.count(c) / shape.n;
    shape.batches = {{0, 0}};
  } else if (shaped.count(c) > 0) {
    const std::vector<int64_t> of_a = matrices(a_dims, c_dims), of_b = matrices(b_dims, c_dims);
    for (size_t i = 0; i < of_a.size(); ++i) shape.batches.push_back({of_a[i], of_b[i]});
  }
  return shape;
}

bool is_packed(const LoweringContext& context, const GemmShape& shape, GemmOperand b) {
  return context.packed.can_pack(b.id) && shape.batches.size() == 1 && shape.k * shape.n > 0;
}

namespace {

struct GemmValues {
  GemmOperand a, b;
  std::optional<ValueId> bias;
  ValueId c;
};

// `Operands` is PlainGemm or VnniGemm.
template <class Operands>
class GemmStep final : public TiledStep, public RunsInParts {
  using Input = typename Operands::Input;
  using T = typename Operands::Output;

 public:
  // `is_invariant`: B is the same in all steps of a loop. `integer_valued` runs first, if it can.
  GemmStep(Operands operands, int threads, GemmValues values, PackedWeights::Bytes packed,
           bool is_invariant, std::optional<IntegerValuedGemm> integer_valued)
      : operands_(std::move(operands)),
        gemm_(operands_.gemm()),
        plan_(gemm_),
        tasks_(plan_, threads),
        threads_(threads),
        values_(values),
        packed_(std::move(packed)),
        integer_valued_(std::move(integer_valued)),
        is_invariant_(is_invariant),
        packs_once_(is_invariant && !packed_ && is_one_plain_pair() && plan_.packs_for_loop()) {}

  // B is packed at run time if packing pays off, in a loop before its first step.
  int64_t scratch_bytes() const override {
    int64_t count = operands_.scratch_of_a();
    const bool packs = plan_.packs() || packs_once_;
    if (!packed_) count += operands_.scratch_of_b() + (packs ? plan_.packed_count() : 0);
    return count * int64_t{sizeof(T)} + (integer_valued_ ? integer_valued_->scratch_bytes() : 0);
  }
  bool keeps_scratch() const override { return packs_once_; }
  bool alternates_in_loops() const override { return packed_ || is_invariant_; }
  void begin_loop(const BufferTable& buffers) const override {
    T* scratch = buffers.scratch<T>();
    Gemm<T> gemm = gemm_;
    gemm.b.data = operands_.b(buffers.read<Input>(values_.b.id) + operands_.shape.batches[0].b,
                              scratch, threads_);
    pack(gemm, scratch);
  }

  double useful_threads() const {
    return integer_valued_ ? integer_valued_->useful_threads() : plan_.useful_threads();
  }
  // Whether rows of C can be computed without the others, and without preparing A or B.
  bool has_independent_rows() const {
    return is_one_plain_pair() && !integer_valued_ && (packed_ || packs_once_ || !plan_.packs());
  }
  void run_parts(const BufferTable& buffers, const PartRange& parts) const override {
    Gemm<T> gemm = begun(buffers);
    const BatchOffsets& only = operands_.shape.batches.front();
    T* scratch = buffers.scratch<T>();
    gemm.a.data = operands_.a(buffers.read<Input>(values_.a.id) + only.a, scratch, 1);
    if (packs_once_) {
      gemm.packed_b = scratch;
    } else if (!packed_) {
      gemm.b.data = operands_.b(buffers.read<Input>(values_.b.id) + only.b, scratch, 1);
    }
    gemm.epilogue = Epilogue(epilogue.get(), &buffers, 0);
    multiply(gemm, plan_, {parts.begin(gemm.m), parts.end(gemm.m), 0, gemm.n});
  }

  void run(const BufferTable& buffers) const override {
    const Input* a = buffers.read<Input>(values_.a.id);
    Gemm<T> gemm = begun(buffers);
    if constexpr (std::is_same_v<Input, float>) {
      if (integer_valued_ &&
          integer_valued_->run(a, gemm.c, gemm.direction, Epilogue(epilogue.get(), &buffers, 0),
                               buffers.scratch<int32_t>()))
        return;
    }
    const int64_t size = gemm.m * gemm.n;
    int64_t origin = 0;
    for (const BatchOffsets& batch : operands_.shape.batches) {
      T* scratch = buffers.scratch<T>();
      gemm.a.data = operands_.a(a + batch.a, scratch, threads_);
      if (packs_once_) {
        gemm.packed_b = scratch;
      } else if (!packed_) {
        gemm.b.data = operands_.b(buffers.read<Input>(values_.b.id) + batch.b, scratch, threads_);
        if (plan_.packs()) {
          pack(gemm, scratch);
          gemm.packed_b = scratch;
        }
      }
      gemm.epilogue = Epilogue(epilogue.get(), &buffers, origin);
      tasks_.run(gemm);
      origin += size;
      gemm.c += size;
    }
  }

 private:
  bool is_one_plain_pair() const {
    return operands_.shape.batches.size() == 1 && operands_.scratch_of_a() == 0 &&
           operands_.scratch_of_b() == 0;
  }
  Gemm<T> begun(const BufferTable& buffers) const {
    Gemm<T> gemm = gemm_;
    gemm.packed_b = reinterpret_cast<const T*>(packed_.get());
    gemm.bias = buffers.read<T>(values_.bias);
    gemm.c = buffers.write<T>(values_.c);
    gemm.direction = buffers.direction();
    return gemm;
  }
  void pack(const Gemm<T>& gemm, T* to) const {
    const auto parts = std::min(plan_.panels(), tasks_.count());
    pack_in_parts(gemm, parts, threads_, to);
  }

  Operands operands_;
  Gemm<T> gemm_;  // the pointers are null
  GemmPlan plan_;
  GemmTasks tasks_;
  int threads_;
  GemmValues values_;
  PackedWeights::Bytes packed_;  // null: B is not packed
  std::optional<IntegerValuedGemm> integer_valued_;
  const bool is_invariant_;
  const bool packs_once_;  // in begin_loop
};

std::optional<GemmOperand> operand_of(const CallReader& call, const SpelledExpression& argument) {
  const bool transposed = argument.kind == SpelledExpression::Kind::call;
  MITHRIL_CHECK(!transposed || argument.text == "transposed",
                "a side of a product is a port or transposed(port)");
  const std::string& port = transposed ? argument.children.front().text : argument.text;
  const int32_t at = call.shaped.planned(call.at).tensors[call.node().argument_index(port)];
  if (at < 0) return std::nullopt;
  return GemmOperand{static_cast<ValueId>(at), transposed};
}

// Reads a transposed operand from its source, and a transpose of a transpose from the first source:
// the gradient of a gradient has such ones.
GemmOperand read_through(const KernelCall& call, GemmOperand operand) {
  while (const std::optional<ValueId> source = call.transposes[index(operand.id)])
    operand = {*source, !operand.transposed};
  return operand;
}

template <typename T>
PackedWeights::Bytes packed_panels(const LoweringContext& context, const Gemm<T>& gemm) {
  const GemmPlan plan(gemm);
  auto packed = context.packed.allocate(plan.packed_count() * int64_t{sizeof(T)});
  pack_in_parts(gemm, plan.panels(), context.config.threads, reinterpret_cast<T*>(packed.get()));
  return packed;
}

template <typename T>
PackedWeights::Bytes packed_b(const LoweringContext& context, const PlainGemm<T>& plain,
                              GemmOperand b) {
  const std::optional<DType> stored = plain.shape.stored;
  const PackedFormat format{
      .layout = PackedLayout::gemm, .stored = stored, .transposed = b.transposed};
  return context.packed.pack(b.id, format, [&](const Tensor& tensor) -> PackedWeights::Bytes {
    Gemm<T> gemm = plain.gemm();
    const Tensor host = is_half(tensor.dtype()) ? tensor.to(dtype_of<T>) : tensor.host();
    gemm.b.data = host.data<T>();
    if constexpr (std::is_same_v<T, float>) {
      if (stored) {
        auto packed =
            context.packed.allocate(GemmPlan(gemm).packed_count() * int64_t{sizeof(uint16_t)});
        pack_half_weights(gemm, half_weight_kernels(*stored),
                          reinterpret_cast<uint16_t*>(packed.get()));
        return packed;
      }
    }
    return packed_panels(context, gemm);
  });
}

PackedWeights::Bytes packed_b(const LoweringContext& context, const VnniGemm& vnni, GemmOperand b) {
  const PackedFormat format{.layout = PackedLayout::vnni_gemm, .transposed = b.transposed};
  return context.packed.pack(b.id, format, [&](const Tensor& tensor) {
    const Tensor host = where_floats_begin(tensor.host());
    std::vector<float> pairs(static_cast<size_t>(vnni.scratch_of_b()));
    float* scratch = pairs.data();
    Gemm<float> gemm = vnni.gemm();
    gemm.b.data =
        vnni.b(static_cast<const uint16_t*>(host.raw_data()), scratch, context.config.threads);
    return packed_panels(context, gemm);
  });
}

template <class Operands>
StepDescriptor gemm_descriptor(const LoweringContext& context, const Operands& operands,
                               const GemmValues& values) {
  PackedWeights::Bytes packed;
  std::optional<IntegerValuedGemm> integer_valued;
  if (is_packed(context, operands.shape, values.b)) {
    if constexpr (std::is_same_v<typename Operands::Input, float>) {
      const bool is_float = context.shaped.dtype(values.b.id) == DType::float32;
      if (is_float && !values.bias && !context.config.weight_dtype)
        integer_valued = IntegerValuedGemm::of(context, operands.shape, values.b);
    }
    packed = packed_b(context, operands, values.b);
  }
  const GemmPlan plan(operands.gemm());
  auto step = std::make_unique<GemmStep<Operands>>(operands, context.config.threads, values, packed,
                                                   context.packed.is_invariant(values.b.id),
                                                   std::move(integer_valued));
  StepDescriptor descriptor{.reads = {values.a.id}, .writes = {values.c}};
  const int64_t m = operands.shape.m;
  TiledRows rows{.partitions = {{values.a.id, m}, {values.c, m}}, .tiles = plan.tiles()};
  const auto read_whole = [&](ValueId id) {
    descriptor.reads.push_back(id);
    rows.partitions.push_back({id, 1});
  };
  if (!packed) read_whole(values.b.id);
  if (values.bias) read_whole(*values.bias);
  if (step->has_independent_rows()) descriptor.tiled_rows = std::move(rows);
  descriptor.useful_threads = step->useful_threads();
  descriptor.takes_epilogue = true;
  descriptor.step = std::move(step);
  return descriptor;
}

// A GEMM with at most this many rows is memory-bound: most of its time goes into reading B.
constexpr int64_t most_rows_bound_by_memory = 4;

// Whether all elements of a float32 tensor in memory are exact in bfloat16, as integers up to 256
// are.
bool is_exact_in_bfloat16(const Tensor& tensor) {
  if (tensor.foreign()) return false;
  const auto elements = tensor.values<float>();
  return std::all_of(elements.begin(), elements.end(),
                     [](float x) { return (std::bit_cast<uint32_t>(x) & 0xFFFF) == 0; });
}

template <typename T>
std::optional<StepDescriptor> lower_plain_gemm(const LoweringContext& context,
                                               const GemmValues& values) {
  PlainGemm<T> gemm{gemm_shape(context.shaped, values.a, values.b, values.c)};
  const DType given = context.shaped.dtype(values.b.id);
  if (is_packed(context, gemm.shape, values.b)) {
    if (is_half(given)) {
      gemm.shape.stored = given;
    } else if (given == DType::float32) {
      gemm.shape.stored = context.config.weight_dtype;
      if (!gemm.shape.stored && gemm.shape.batches.size() == 1 &&
          gemm.shape.m <= most_rows_bound_by_memory &&
          is_exact_in_bfloat16(*context.packed.packable(values.b.id)))
        gemm.shape.stored = DType::bfloat16;
    }
  } else if (given != dtype_of<T>) {
    return std::nullopt;
  }
  return gemm_descriptor(context, gemm, values);
}

// Lowers a GEMM of two bfloat16 operands. C and the bias are float32. None if an operand has
// another dtype, k is 0, or the configuration or the processor has no bfloat16 instructions.
std::optional<StepDescriptor> lower_vnni_gemm(const LoweringContext& context,
                                              const GemmValues& values) {
  const auto is_bfloat16 = [&](GemmOperand operand) {
    return context.shaped.dtype(operand.id) == DType::bfloat16;
  };
  if (!is_bfloat16(values.a) || !is_bfloat16(values.b)) return std::nullopt;
  if (!context.config.bfloat16_products || !bfloat16_kernels()) return std::nullopt;
  const GemmShape shape = gemm_shape(context.shaped, values.a, values.b, values.c);
  if (shape.k == 0) return std::nullopt;
  return gemm_descriptor(context, VnniGemm(shape), values);
}

}  // namespace

std::optional<StepDescriptor> lower_gemm(const KernelCall& call) {
  const LoweringContext& context = call.context;
  const ValueId c = call.made();
  const DType dtype = context.shaped.dtype(c);
  std::vector<std::optional<GemmOperand>> operands;
  for (const SpelledExpression& argument : call.spelled.children) {
    operands.push_back(operand_of(call, argument));
    if (!operands.back()) continue;
    const DType given = context.shaped.dtype(operands.back()->id);
    const bool may_be_half = operands.size() <= 2 && dtype == DType::float32 && is_half(given);
    if (given != dtype && !may_be_half) return std::nullopt;
  }
  if (!operands[0] || !operands[1]) return std::nullopt;
  std::optional<ValueId> bias;
  if (operands.size() > 2 && operands[2]) bias = operands[2]->id;
  const GemmValues values{.a = read_through(call, *operands[0]),
                          .b = read_through(call, *operands[1]),
                          .bias = bias,
                          .c = c};
  if (is_half(context.shaped.dtype(values.a.id))) return lower_vnni_gemm(context, values);
  return lower_floats(dtype, [&]<typename T>(T) { return lower_plain_gemm<T>(context, values); });
}

}  // namespace mithril::cpu_backend
