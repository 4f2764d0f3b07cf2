#include "backends/cpu/kernels/elementwise_kernels.hpp"

#include <utility>

#include "backends/cpu/kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/elementwise_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mithril::cpu_backend::HWY_NAMESPACE {
namespace {

// The error function for vectors of floats, with tables.
#if HWY_TARGET == HWY_AVX3
// erf(i / 8 + t) for |t| <= 1 / 16: row k contains the coefficients of t^k for all i. They are
// fitted to the relative error; those for i = 31 give 1 at the end.
alignas(64) inline constexpr float erf_coefficients[5][32] = {
    {0.0f,         0.140316203f, 0.276326388f, 0.404116899f, 0.520499885f, 0.623240888f,
     0.711155653f, 0.784075081f, 0.842700779f, 0.888388216f, 0.92290014f,  0.948170066f,
     0.966105163f, 0.978443742f, 0.986671686f, 0.99199003f,  0.995322287f, 0.997345984f,
     0.998537302f, 0.999217033f, 0.999593019f, 0.999794602f, 0.999899387f, 0.999952137f,
     0.999977887f, 0.999990106f, 0.999995708f, 0.999998212f, 0.999999285f, 0.999999702f,
     0.999999881f, 1.0f},
    {1.12837911f,     1.11088479f,     1.06001377f,     0.980352759f,    0.87878257f,
     0.763499558f,    0.642931104f,    0.524745047f,    0.415107489f,    0.318273962f,
     0.236521125f,    0.170359775f,    0.118930288f,    0.0804722607f,   0.0527749956f,
     0.0335458256f,   0.0206669848f,   0.0123408204f,   0.00714231888f,  0.00400647754f,
     0.00217828364f,  0.00114787428f,  0.000586277223f, 0.000290228199f, 0.000139251191f,
     6.47586712e-05f, 2.91884317e-05f, 1.27514231e-05f, 5.39926759e-06f, 2.21584378e-06f,
     8.81396488e-07f, 3.39806434e-07f},
    {2.17313263e-05f,  -0.138856038f,    -0.265000015f,    -0.367614448f,    -0.43940419f,
     -0.47719565f,     -0.482230783f,    -0.45918414f,     -0.415091634f,    -0.358037025f,
     -0.295669138f,    -0.234235615f,    -0.178427443f,    -0.130784661f,    -0.0923857465f,
     -0.06284336f,     -0.0413770191f,   -0.0262496732f,   -0.0161065459f,   -0.00945886411f,
     -0.00538870692f,  -0.00296935975f,  -0.00163070997f,  -0.000819030625f, -0.000371549017f,
     -0.000207083955f, -0.000117634496f, -9.80162513e-05f, -7.52972919e-05f, -2.1927367e-06f,
     7.79953734e-06f,  -8.74360921e-05f},
    {-0.377342641f,   -0.358224034f,   -0.308787346f,   -0.23472859f,    -0.146445364f,
     -0.0557610393f,  0.0266109072f,   0.0927428454f,   0.138155624f,    0.162271917f,
     0.16739963f,     0.157843843f,    0.138721034f,    0.11483296f,     0.0901789889f,
     0.0674794838f,   0.0482655093f,   0.0330727659f,   0.0217591561f,   0.013758135f,
     0.00837041903f,  0.00490459334f,  0.00276942784f,  0.00150820671f,  0.00079306995f,
     0.000401925092f, 0.000197042027f, 9.32288676e-05f, 4.26194201e-05f, 1.88298764e-05f,
     8.04214869e-06f, 3.3209069e-06f},
    {0.021418469f,    0.0672911629f,  0.125974417f,   0.162412331f,    0.185926899f,
     0.178102374f,    0.158248693f,   0.119330503f,   0.0660534352f,   0.0236222316f,
     -0.00231270422f, -0.0322918259f, -0.0367718861f, -0.0452963151f,  -0.0406100154f,
     -0.0561808236f,  -0.023583997f,  -0.020087922f,  -0.00992823113f, -0.0274723321f,
     -0.0230679959f,  -0.0165210385f, 0.0014009967f,  -0.00577915693f, -0.0127787367f,
     0.000633582706f, 0.00549362879f, 0.0138172284f,  0.0142522901f,   -0.00151412736f,
     -0.00283355638f, 0.0218605399f}};

template <class D>
HWY_ATTR HWY_INLINE V<D> erf_float(D d, V<D> x) {
  const V<D> size = at_most(d, hn::Abs(x), 3.93749976);
  // Above 2^20, floats are 1 / 8 apart, so the lowest bits of the sum are the nearest i.
  const V<D> shifted = hn::Add(size, number(d, 1 << 20)), t = remainder<3, false>(d, size);
  V<D> sum = one_of_32(d, erf_coefficients[4], shifted);
#pragma GCC unroll 4
  for (int k = 3; k >= 0; --k) {
    sum = hn::MulAdd(sum, t, one_of_32(d, erf_coefficients[k], shifted));
  }
  return nan_kept(d, x, hn::CopySign(sum, x));
}
#else
// Looks up numbers[i], where i is the lowest four bits of each lane of `at`.
template <class D>
HWY_ATTR HWY_INLINE V<D> looked_up(D d, const float* numbers, hn::Vec<hn::RebindToSigned<D>> at) {
#if HWY_TARGET == HWY_AVX2
  const hn::RebindToSigned<D> di;
  const auto lane = hn::IndicesFromVec(d, hn::And(at, hn::Set(di, 7)));
  const auto upper = hn::RebindMask(d, hn::TestBit(at, hn::Set(di, 8)));
  return hn::IfThenElse(upper, hn::TableLookupLanes(hn::Load(d, numbers + 8), lane),
                        hn::TableLookupLanes(hn::Load(d, numbers), lane));
#else
  return hn::GatherIndex(d, numbers, hn::And(at, hn::Set(hn::RebindToSigned<D>(), 15)));
#endif
}

// erf(i / 4 + t) for |t| <= 1 / 8: row k contains the coefficients of t^k for all i. They are
// fitted to the relative error; those for i = 15 give 1 at the end.
alignas(64) inline constexpr float erf_coefficients[6][16] = {
    {0, 0.276326388f, 0.520499885f, 0.711155653f, 0.842700779f, 0.92290014f, 0.966105163f,
     0.986671686f, 0.995322287f, 0.998537302f, 0.999593019f, 0.999899387f, 0.999977887f,
     0.999995708f, 0.999999285f, 0.999999881f},
    {1.12837923f, 1.06001425f, 0.87878263f, 0.642931104f, 0.415107489f, 0.236521125f, 0.118930288f,
     0.0527749956f, 0.0206669867f, 0.00714231934f, 0.00217828411f, 0.000586277281f, 0.000139253054f,
     2.91890265e-05f, 5.39942675e-06f, 1.00143222e-06f},
    {2.23213789e-07f, -0.264998764f, -0.439388335f, -0.482204586f, -0.415101171f, -0.29565987f,
     -0.178406119f, -0.0923649371f, -0.041345302f, -0.0160793662f, -0.00543081248f, -0.00161679974f,
     -0.000406006468f, -0.000100577185f, -3.31137635e-05f, 3.80979714e-06f},
    {-0.376139522f, -0.309191763f, -0.146478713f, 0.026777016f, 0.138370663f, 0.1675338f,
     0.138751432f, 0.0901575536f, 0.0482231416f, 0.0217245687f, 0.00835005753f, 0.00276030554f,
     0.000789054786f, 0.000195788642f, 4.22882804e-05f, 7.96761742e-06f},
    {0.00025757993f, 0.126076803f, 0.182121187f, 0.150669158f, 0.068851538f, -0.00528682861f,
     -0.0436144806f, -0.047405906f, -0.0337126255f, -0.0185432583f, -0.00961911865f,
     -0.00299377088f, -0.00180781388f, 7.47579397e-05f, 0.000840477995f, -0.000438613934f},
    {0.111089058f, 0.0808863267f, 0.00826436374f, -0.0522019751f, -0.0690437928f, -0.0469960384f,
     -0.014903238f, 0.00651265914f, 0.0130251842f, 0.0106461644f, 0.00612781616f, 0.00277121365f,
     0.00102558779f, 0.000317807921f, 8.3492203e-05f, 1.87546393e-05f}};

template <class D>
HWY_ATTR HWY_INLINE V<D> erf_float(D d, V<D> x) {
  const hn::RebindToSigned<D> di;
  // Above 2^21, floats are 1 / 4 apart, so the lowest bits of the sum are the nearest i.
  const V<D> shift = number(d, 1 << 21);
  const V<D> size = at_most(d, hn::Abs(x), 3.87499976), shifted = hn::Add(size, shift);
  const V<D> t = hn::Sub(size, hn::Sub(shifted, shift));
  const auto i = hn::BitCast(di, shifted);
  V<D> sum = looked_up(d, erf_coefficients[5], i);
#pragma GCC unroll 5
  for (int k = 4; k >= 0; --k) sum = hn::MulAdd(sum, t, looked_up(d, erf_coefficients[k], i));
  return nan_kept(d, x, hn::CopySign(sum, x));
}
#endif

template <class D>
HWY_ATTR V<D> truth(D d, hn::Mask<D> mask) {
  return hn::IfThenElseZero(mask, number(d, 1));
}
template <class D>
HWY_ATTR hn::Mask<D> is_true(D d, V<D> x) {
  return unequal(x, hn::Zero(d));
}

// The vectors of an operation.
template <cpu_backend::Operation>
struct VectorOperation;
#define MITHRIL_OPERATION(name, operands, vectors, text)           \
  template <>                                                      \
  struct VectorOperation<cpu_backend::Operation::name> {           \
    static constexpr int arity = operands;                         \
    template <class D>                                             \
    HWY_ATTR static V<D> of([[maybe_unused]] D d, const V<D>* x) { \
      return vectors;                                              \
    }                                                              \
  };
#include "backends/cpu/kernels/operations-inl.hpp"

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

// Applies an operation to the previous result, which is operand `previous`, and two other operands.
template <class Operation, int previous, typename T, size_t vectors, class Vectors>
HWY_ATTR HWY_INLINE void run_triple(const EncodedInstruction* instruction, const Source<T>* slots,
                                    size_t i, Vectors& made) {
  const hn::ScalableTag<T> d;
  constexpr int one = previous == 0 ? 1 : 0, other = previous == 2 ? 1 : 2;
  with_vectors<T>(slots[instruction->from[one]], i, [&](const auto& read) HWY_ATTR {
    with_vectors<T>(slots[instruction->from[other]], i, [&](const auto& read_other) HWY_ATTR {
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) {
        V<decltype(d)> x[3];
        x[previous] = made[v];
        x[one] = read(v);
        x[other] = read_other(v);
        made[v] = Operation::of(d, x);
      }
    });
  });
}

// As run_pairs, for three operands. Returns false if two of them are the previous result.
template <class Operation, typename T, size_t vectors, class Vectors>
HWY_ATTR HWY_INLINE bool run_triples(const EncodedInstruction* instruction, const Source<T>* slots,
                                     size_t i, Vectors& made) {
  const int first = instruction->from[0], second = instruction->from[1],
            third = instruction->from[2];
  if (first >= 0 && second >= 0 && third >= 0) {
    with_vectors<T>(slots[first], i, [&](const auto& read) HWY_ATTR {
#pragma GCC unroll 8
      for (size_t v = 0; v < vectors; ++v) made[v] = read(v);
    });
  }
  if (second >= 0 && third >= 0) {
    run_triple<Operation, 0, T, vectors>(instruction, slots, i, made);
  } else if (first >= 0 && third >= 0) {
    run_triple<Operation, 1, T, vectors>(instruction, slots, i, made);
  } else if (first >= 0 && second >= 0) {
    run_triple<Operation, 2, T, vectors>(instruction, slots, i, made);
  } else {
    return false;
  }
  return true;
}

template <class Operation, typename T, size_t vectors, class Vectors>
HWY_ATTR HWY_INLINE void run_operation(const EncodedInstruction* instruction,
                                       const Source<T>* slots, size_t i, Vectors& made) {
  const hn::ScalableTag<T> d;
  constexpr int arity = Operation::arity;
  if constexpr (arity == 2) {
    return run_pairs<Operation, T, vectors>(instruction, slots, i, made);
  } else {
    if constexpr (arity == 3) {
      if (run_triples<Operation, T, vectors>(instruction, slots, i, made)) return;
    }
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

// Only floats have a kernel of erf.
template <cpu_backend::Operation operation, typename T>
OperationKernel operation_kernel() {
  if constexpr (operation == cpu_backend::Operation::erf && sizeof(T) > 4) {
    return {};
  } else {
    return {kernel_by<VectorOperation<operation>, T>(std::make_index_sequence<8>()),
            kernel_by<VectorOperation<operation>, T>(std::make_index_sequence<4>()),
            kernel_by<VectorOperation<operation>, T>(std::make_index_sequence<1>())};
  }
}

template <typename T, size_t... i>
ElementwiseKernels<T> all_kernels(std::index_sequence<i...>) {
  return {.lanes = HWY_LANES(T),
          .operations = {operation_kernel<static_cast<cpu_backend::Operation>(i), T>()...},
          .run = run<T>};
}

template <typename T>
const ElementwiseKernels<T>& kernels() {
  static const auto filled = all_kernels<T>(std::make_index_sequence<operation_count>());
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
