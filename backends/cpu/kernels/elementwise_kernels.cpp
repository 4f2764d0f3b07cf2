#include "backends/cpu/kernels/elementwise_kernels.hpp"

#include <utility>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/elementwise_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/erf-inl.hpp"
#include "backends/cpu/kernels/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

template <class D>
HWY_ATTR V<D> truth(D d, hn::Mask<D> mask) {
  return hn::IfThenElseZero(mask, number(d, 1));
}
template <class D>
HWY_ATTR hn::Mask<D> is_true(D d, V<D> x) {
  return unequal(x, hn::Zero(d));
}

// Defines an operation as a type. `expression` uses d and the vectors x[0], x[1], ...
#define MITHRIL_OPERATION(name, count, expression)                 \
  struct name {                                                    \
    static constexpr int arity = count;                            \
    template <class D>                                             \
    HWY_ATTR static V<D> of([[maybe_unused]] D d, const V<D>* x) { \
      return expression;                                           \
    }                                                              \
  }
MITHRIL_OPERATION(Copy, 1, x[0]);
MITHRIL_OPERATION(Negate, 1, hn::Neg(x[0]));
MITHRIL_OPERATION(Not, 1, truth(d, hn::Eq(x[0], hn::Zero(d))));
MITHRIL_OPERATION(Abs, 1, hn::Abs(x[0]));
MITHRIL_OPERATION(Sqrt, 1, hn::Sqrt(x[0]));
MITHRIL_OPERATION(Floor, 1, hn::Floor(x[0]));
MITHRIL_OPERATION(Rint, 1, hn::Round(x[0]));
MITHRIL_OPERATION(Trunc, 1, hn::Trunc(x[0]));
MITHRIL_OPERATION(Exp, 1, exp(d, x[0]));
MITHRIL_OPERATION(Expm1, 1, expm1(d, x[0]));
MITHRIL_OPERATION(Log, 1, log(d, x[0]));
MITHRIL_OPERATION(Log1p, 1, log1p(d, x[0]));
MITHRIL_OPERATION(Tanh, 1, tanh(d, x[0]));
MITHRIL_OPERATION(Sin, 1, sin(d, x[0]));
MITHRIL_OPERATION(Cos, 1, cos(d, x[0]));
MITHRIL_OPERATION(Erf, 1, erf_float(d, x[0]));
MITHRIL_OPERATION(Add, 2, hn::Add(x[0], x[1]));
MITHRIL_OPERATION(Subtract, 2, hn::Sub(x[0], x[1]));
MITHRIL_OPERATION(Multiply, 2, hn::Mul(x[0], x[1]));
MITHRIL_OPERATION(Divide, 2, hn::Div(x[0], x[1]));
MITHRIL_OPERATION(Maximum, 2,
                  hn::IfThenElse(hn::Or(hn::Gt(x[0], x[1]), unequal(x[1], x[1])), x[0], x[1]));
MITHRIL_OPERATION(Minimum, 2,
                  hn::IfThenElse(hn::Or(hn::Lt(x[0], x[1]), unequal(x[1], x[1])), x[0], x[1]));
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// These instructions return their second operand if one is NaN, or if both are zeros.
MITHRIL_OPERATION(Greater, 2, hn::Max(x[0], x[1]));
MITHRIL_OPERATION(Lesser, 2, hn::Min(x[0], x[1]));
#else
MITHRIL_OPERATION(Greater, 2, hn::IfThenElse(hn::Gt(x[0], x[1]), x[0], x[1]));
MITHRIL_OPERATION(Lesser, 2, hn::IfThenElse(hn::Lt(x[0], x[1]), x[0], x[1]));
#endif
MITHRIL_OPERATION(Less, 2, truth(d, hn::Lt(x[0], x[1])));
MITHRIL_OPERATION(LessEqual, 2, truth(d, hn::Le(x[0], x[1])));
MITHRIL_OPERATION(Equal, 2, truth(d, hn::Eq(x[0], x[1])));
MITHRIL_OPERATION(NotEqual, 2, truth(d, unequal(x[0], x[1])));
MITHRIL_OPERATION(And, 2, truth(d, hn::And(is_true(d, x[0]), is_true(d, x[1]))));
MITHRIL_OPERATION(Or, 2, truth(d, hn::Or(is_true(d, x[0]), is_true(d, x[1]))));
MITHRIL_OPERATION(Choose, 3, hn::IfThenElse(is_true(d, x[0]), x[1], x[2]));
MITHRIL_OPERATION(ChooseLess, 4, hn::IfThenElse(hn::Lt(x[0], x[1]), x[2], x[3]));
MITHRIL_OPERATION(ChooseLessEqual, 4, hn::IfThenElse(hn::Le(x[0], x[1]), x[2], x[3]));
MITHRIL_OPERATION(ChooseEqual, 4, hn::IfThenElse(hn::Eq(x[0], x[1]), x[2], x[3]));
MITHRIL_OPERATION(ChooseNotEqual, 4, hn::IfThenElse(unequal(x[0], x[1]), x[2], x[3]));
#undef MITHRIL_OPERATION

template <typename T, class... Made>
using Continuation = void (*)(const EncodedInstruction* instruction, const Source<T>* slots,
                              size_t i, Made... made);

// Runs the next instruction. Vectors are passed in registers.
template <typename T, class... Made>
HWY_ATTR void run_next(void (*kernel)(), const EncodedInstruction* instruction,
                       const Source<T>* slots, size_t i, Made... made) {
  reinterpret_cast<Continuation<T, Made...>>(kernel)(instruction, slots, i, made...);
}

// Calls body(read), where read(v) returns vector v, counted from element i. If the mask is 0, all
// vectors are the same.
template <typename T, class Body>
HWY_ATTR HWY_INLINE void with_vectors(const Source<T>& source, size_t i, const Body& body) {
  const hn::ScalableTag<T> d;
  if (source.mask == 0) {
    const auto same = hn::LoadU(d, source.at);
    body([&](size_t) HWY_ATTR { return same; });
  } else {
    const T* const at = source.at + (i & source.mask);
    body([&](size_t v) HWY_ATTR { return hn::LoadU(d, at + v * HWY_LANES(T)); });
  }
}

// Loads feed the operation directly, so that they become memory operands of the arithmetic
// instructions. Other instructions take half of the time of a loop.
template <class Operation, typename T, size_t vectors, class Vectors>
HWY_ATTR HWY_INLINE void run_pairs(const EncodedInstruction* instruction, const Source<T>* slots,
                                   size_t i, Vectors& made) {
  const hn::ScalableTag<T> d;
  using Vector = V<decltype(d)>;
  const int left = instruction->from[0], right = instruction->from[1];
  const auto join = [&](const Vector& a, const Vector& b) HWY_ATTR {
    const Vector x[] = {a, b};
    return Operation::of(d, x);
  };
  if (right >= 0) {
    if (left >= 0) {
      with_vectors<T>(slots[left], i, [&](const auto& read) HWY_ATTR {
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; ++v) made[v] = read(v);
      });
    }
    with_vectors<T>(slots[right], i, [&](const auto& read) HWY_ATTR {
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) made[v] = join(made[v], read(v));
    });
  } else if (left >= 0) {
    with_vectors<T>(slots[left], i, [&](const auto& read) HWY_ATTR {
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) made[v] = join(read(v), made[v]);
    });
  } else {
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) made[v] = join(made[v], made[v]);
  }
}

template <class Operation, typename T, size_t vectors, class Vectors>
HWY_ATTR HWY_INLINE void run_operation(const EncodedInstruction* instruction,
                                       const Source<T>* slots, size_t i, Vectors& made) {
  const hn::ScalableTag<T> d;
  constexpr int arity = Operation::arity;
  if constexpr (arity == 2) {
    run_pairs<Operation, T, vectors>(instruction, slots, i, made);
  } else {
    V<decltype(d)> x[vectors][arity];
#pragma GCC unroll 4
    for (int k = 0; k < arity; ++k) {
      if (const int slot = instruction->from[static_cast<size_t>(k)]; slot < 0) {
#pragma GCC unroll 8
        for (size_t v = 0; v < vectors; ++v) x[v][k] = made[v];
      } else {
        with_vectors<T>(slots[slot], i, [&](const auto& read) HWY_ATTR {
#pragma GCC unroll 8
          for (size_t v = 0; v < vectors; ++v) x[v][k] = read(v);
        });
      }
    }
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) made[v] = Operation::of(d, x[v]);
  }
}

template <class Operation, typename T, class... Made>
HWY_ATTR void run_instruction(const EncodedInstruction* instruction, const Source<T>* slots,
                              size_t i, Made... made) {
  const hn::ScalableTag<T> d;
  constexpr size_t vectors = sizeof...(Made), lanes = HWY_LANES(T);
  V<decltype(d)> results[vectors] = {made...};
  run_operation<Operation, T, vectors>(instruction, slots, i, results);
  if (instruction->to >= 0) {
    // Instructions write only to blocks and outputs, which are writable.
    T* to = const_cast<T*>(slots[instruction->to].at) + (i & slots[instruction->to].mask);
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) hn::StoreU(results[v], d, to + v * lanes);
  }
  if (instruction->last) return;
  ++instruction;
  if constexpr (vectors == 8) {
    return run_next(instruction->kernel.eight, instruction, slots, i, results[0], results[1],
                    results[2], results[3], results[4], results[5], results[6], results[7]);
  } else if constexpr (vectors == 4) {
    return run_next(instruction->kernel.four, instruction, slots, i, results[0], results[1],
                    results[2], results[3]);
  } else {
    return run_next(instruction->kernel.one, instruction, slots, i, results[0]);
  }
}

// Clears the upper halves of the vector registers. SSE code stalls while they are in use, about 0.1
// microseconds per instruction on some processors. Compilers insert the instruction themselves, but
// not in functions with vector arguments, such as those of operations.
HWY_ATTR void leave_wide_registers() {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  _mm256_zeroupper();
#endif
}

// Runs the instructions on as many whole steps as fit before `end`. Returns the first element that
// is left.
template <typename T, size_t... v>
HWY_ATTR size_t run_by(std::index_sequence<v...>, void (*kernel)(), const EncodedInstruction* code,
                       const Source<T>* slots, size_t i, size_t end, const Prefetch<T>& prefetch) {
  constexpr size_t step = sizeof...(v) * HWY_LANES(T), line = 64 / sizeof(T);
  const auto nothing = hn::Zero(hn::ScalableTag<T>());
  for (; i + step <= end; i += step) {
    for (size_t k = 0; k < prefetch.count; ++k) {
      const T* from = prefetch.from[k] + i;
      for (size_t at = 0; at < step; at += line) hwy::Prefetch(from + at);
    }
    run_next(kernel, code, slots, i, (void(v), nothing)...);
  }
  return i;
}

template <typename T>
HWY_ATTR void run(const EncodedInstruction* code, const Source<T>* slots, size_t begin, size_t end,
                  const Prefetch<T>& prefetch) {
  const OperationKernel& kernel = code->kernel;
  size_t i = run_by(std::make_index_sequence<8>(), kernel.eight, code, slots, begin, end, prefetch);
  i = run_by(std::make_index_sequence<4>(), kernel.four, code, slots, i, end, prefetch);
  run_by(std::make_index_sequence<1>(), kernel.one, code, slots, i, end, Prefetch<T>());
  leave_wide_registers();
}

template <typename T, size_t>
using VectorOf = V<hn::ScalableTag<T>>;

template <class Operation, typename T, size_t... v>
auto kernel_by(std::index_sequence<v...>) {
  return reinterpret_cast<void (*)()>(run_instruction<Operation, T, VectorOf<T, v>...>);
}

template <class Operation, typename T>
OperationKernel operation_kernel() {
  return {kernel_by<Operation, T>(std::make_index_sequence<8>()),
          kernel_by<Operation, T>(std::make_index_sequence<4>()),
          kernel_by<Operation, T>(std::make_index_sequence<1>())};
}

template <typename T, class... Operations>
ElementwiseKernels<T> in_order() {
  return {
      .lanes = HWY_LANES(T), .operations = {operation_kernel<Operations, T>()...}, .run = run<T>};
}

// In the order of `enum class Operation`.
template <typename T>
const ElementwiseKernels<T>& kernels() {
  static const ElementwiseKernels<T> filled = [] {
    auto made =
        in_order<T, Copy, Negate, Not, Abs, Sqrt, Floor, Rint, Trunc, Exp, Expm1, Log, Log1p, Tanh,
                 Sin, Cos, std::conditional_t<sizeof(T) == 4, Erf, Copy>, Add, Subtract, Multiply,
                 Divide, Maximum, Minimum, Greater, Lesser, Less, LessEqual, Equal, NotEqual, And,
                 Or, Choose, ChooseLess, ChooseLessEqual, ChooseEqual, ChooseNotEqual>();
    if (sizeof(T) > 4) made.operations[static_cast<size_t>(cpu_backend::Operation::erf)] = {};
    return made;
  }();
  return filled;
}

}  // namespace
}  // namespace mithril::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mithril::cpu_backend {
MITHRIL_DEFINE_KERNELS(ElementwiseKernels, elementwise_kernels, kernels<T>())
}  // namespace mithril::cpu_backend
#endif
