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
const GemmKernels<T>& kernels_of(const GemmShape& form) {
  if constexpr (std::is_same_v<T, float>) {
    if (form.stored) return stored_matmul_kernels(*form.stored).products;
  }
  return gemm_kernels<T>();
}

template <typename T>
class GemmStep final : public Step {
 public:
  GemmStep(GemmShape form, int threads, BufferRef left, BufferRef right,
           std::optional<BufferRef> bias, BufferRef product, BufferRef scratch,
           PackedWeights::Bytes packed, std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        outline_(product_of(form_)),
        plan_(outline_),
        threads_(threads),
        left_(left),
        right_(right),
        bias_(bias),
        product_(product),
        scratch_(scratch),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {
    const int tasks = plan_.tasks(threads);
    for (int task = 0; task < tasks; ++task) blocks_.push_back(plan_.block(task, threads));
  }

  // The GEMM without pointers to its operands.
  static Gemm<T> product_of(const GemmShape& form) {
    return {.kernels = &kernels_of<T>(form),
            .rows = form.rows,
            .columns = form.columns,
            .depth = form.depth,
            .left = {nullptr, form.a_row_step, form.a_column_step},
            .right = {nullptr, form.b_row_step, form.b_column_step}};
  }

  // Scratch memory in bytes: B is packed at run time if packing pays off.
  static int64_t scratch_bytes(const GemmShape& form, bool packed) {
    const GemmPlan plan(product_of(form));
    return packed || !plan.packs() ? 0 : plan.packed_count() * int64_t{sizeof(T)};
  }

  void run(const BufferTable& buffers) const override {
    Gemm<T> product = begin(buffers);
    const T *left = product.left.data, *right = product.right.data;
    int64_t origin = 0;
    for (const Meeting& meeting : form_.meetings) {
      product.epilogue = Epilogue(epilogue_.get(), &buffers, origin);
      origin += form_.rows * form_.columns;
      product.left.data = left + meeting.left;
      product.right.data = right + meeting.right;
      multiply_one(product, buffers);
      product.product += form_.rows * form_.columns;
    }
  }

 private:
  Gemm<T> begin(const BufferTable& buffers) const {
    Gemm<T> product = outline_;
    product.left.data = buffers.read<T>(left_);
    product.right.data = buffers.read<T>(right_);
    product.packed = reinterpret_cast<const T*>(packed_.get());
    if (bias_) product.bias = buffers.read<T>(*bias_);
    product.product = buffers.write<T>(product_);
    return product;
  }

  void multiply_one(Gemm<T>& product, const BufferTable& buffers) const {
    ThreadPool& pool = ThreadPool::shared();
    if (!packed_ && plan_.packs()) {
      T* packed = buffers.write<T>(scratch_);
      const int64_t panels = plan_.panels();
      const auto parts = std::min(static_cast<int>(panels), static_cast<int>(blocks_.size()));
      pool.run(parts, threads_, [&](int part) {
        pack_b(product, panels * part / parts, panels * (part + 1) / parts, packed);
      });
      product.packed = packed;
    }
    pool.run(static_cast<int>(blocks_.size()), threads_,
             [&](int task) { multiply(product, plan_, blocks_[static_cast<size_t>(task)]); });
  }

  GemmShape form_;
  Gemm<T> outline_;  // the pointers are null
  GemmPlan plan_;
  std::vector<Block> blocks_;  // per task
  int threads_;
  BufferRef left_, right_;
  std::optional<BufferRef> bias_;
  BufferRef product_, scratch_;
  PackedWeights::Bytes packed_;
  std::unique_ptr<ElementStep> epilogue_;  // null: none
};

// ---- from a node ----

std::optional<Side> side_of(const PlannedNode& planned, const Node& node,
                            const SpelledExpression& argument) {
  const bool transposed = argument.kind == SpelledExpression::Kind::call;
  MITHRIL_CHECK(!transposed || argument.text == "transposed",
                "a side of a product is a port or transposed(port)");
  const std::string& port = transposed ? argument.children.front().text : argument.text;
  const int32_t at = planned.tensors[node.argument_index(port)];
  if (at < 0) return std::nullopt;
  return Side{static_cast<ValueId>(at), transposed};
}

// Reads a transposed operand from its source.
Side read_through(const LoweringContext& context, Side side) {
  const std::optional<ValueId> source = context.transposes[index(side.id)];
  return source ? Side{*source, !side.transposed} : side;
}

template <typename T>
PackedWeights::Bytes packed_right(const LoweringContext& context, const GemmShape& form,
                                  Side right) {
  const PackedFormat format{
      .layout = PackedLayout::gemm, .stored = form.stored, .transposed = right.transposed};
  return context.packed.pack(right.id, format, [&](const Tensor& tensor) {
    Gemm<T> product = GemmStep<T>::product_of(form);
    const GemmPlan plan(product);
    const Tensor host = is_half(tensor.dtype()) ? tensor.to(dtype_of<T>) : tensor.host();
    product.right.data = host.data<T>();
    const int64_t bytes = plan.packed_count() * int64_t{sizeof(T)} / product.kernels->packing;
    auto packed = context.packed.allocate(bytes);
    if constexpr (std::is_same_v<T, float>) {
      if (form.stored) {
        pack_half_weights(product, stored_matmul_kernels(*form.stored),
                          reinterpret_cast<uint16_t*>(packed.get()));
        return packed;
      }
    }
    ThreadPool::shared().run(
        static_cast<int>(plan.panels()), context.config.threads,
        [&](int panel) { pack_b(product, panel, panel + 1, reinterpret_cast<T*>(packed.get())); });
    return packed;
  });
}

template <typename T>
std::optional<StepDescriptor> gemm_descriptor(const LoweringContext& context, Side left, Side right,
                                              std::optional<Side> bias, ValueId product) {
  GemmShape form = gemm_shape(context.shaped, left, right, product);
  PackedWeights::Bytes packed;
  const DType given = context.shaped.dtype(right.id);
  if (is_packed(context, form, right)) {
    if (is_half(given)) {
      form.stored = given;
    } else if (given == DType::float32) {
      form.stored = context.config.weight_dtype;
    }
    packed = packed_right<T>(context, form, right);
  } else if (given != dtype_of<T>) {
    return std::nullopt;
  }
  std::vector<ValueId> reads{left.id};
  if (!packed) reads.push_back(right.id);
  if (bias) reads.push_back(bias->id);
  const auto make = [=, threads = context.config.threads](const BufferRefs& refs, BufferRef scratch,
                                                          std::unique_ptr<ElementStep> epilogue) {
    std::optional<BufferRef> bias_place;
    if (bias) bias_place = refs[index(bias->id)];
    return std::make_unique<GemmStep<T>>(form, threads, refs[index(left.id)], refs[index(right.id)],
                                         bias_place, refs[index(product)], scratch, packed,
                                         std::move(epilogue));
  };
  return StepDescriptor{.reads = reads,
                        .writes = {product},
                        .scratch_bytes = GemmStep<T>::scratch_bytes(form, packed != nullptr),
                        .make = [make](const BufferRefs& refs,
                                       BufferRef scratch) { return make(refs, scratch, nullptr); },
                        .make_with_epilogue = make};
}

}  // namespace

std::optional<StepDescriptor> lower_gemm(const LoweringContext& context, size_t at,
                                         const SpelledExpression& call) {
  const Node& node = context.shaped.node(at);
  const PlannedNode& planned = context.shaped.planned(at);
  const ValueId product = node.outputs.front();
  const DType dtype = context.shaped.dtype(product);
  std::vector<std::optional<Side>> sides;
  for (const SpelledExpression& argument : call.children) {
    sides.push_back(side_of(planned, node, argument));
    if (!sides.back()) continue;
    const DType given = context.shaped.dtype(sides.back()->id);
    const bool may_be_half = sides.size() <= 2 && dtype == DType::float32 && is_half(given);
    if (given != dtype && !may_be_half) return std::nullopt;
  }
  if (!sides[0] || !sides[1]) return std::nullopt;
  const Side left = read_through(context, *sides[0]), right = read_through(context, *sides[1]);
  const std::optional<Side> bias = sides.size() > 2 ? sides[2] : std::nullopt;
  if (is_half(context.shaped.dtype(left.id))) {
    return lower_bf16_gemm(context, left, right, bias, product);
  }
  if (dtype == DType::float32) return gemm_descriptor<float>(context, left, right, bias, product);
  if (dtype == DType::float64) return gemm_descriptor<double>(context, left, right, bias, product);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
