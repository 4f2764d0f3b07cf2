#include "codegen/cuda_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/language.hpp"
#include "codegen/literals.hpp"
#include "codegen/loop_text.hpp"
#include "codegen/node_text.hpp"

namespace mithril {
namespace {

constexpr std::int64_t lanes = 4;

bool has_c_type(DType dtype) { return dtype != DType::float16 && dtype != DType::bfloat16; }

class KernelText {
 public:
  KernelText(const Graph& graph, const Plan& plan, std::span<const std::size_t> nodes,
             std::span<const ValueId> kept)
      : graph_(graph),
        plan_(plan),
        nodes_(nodes),
        kept_(kept),
        dims_(plan.nodes[nodes.back()].output_dims.front()) {
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) sizes_[graph.inputs()[i]] = plan.inputs[i];
    for (const Constant& constant : graph.constants()) {
      sizes_[constant.value] = constant.tensor.dims();
    }
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
      for (std::size_t k = 0; k < plan.nodes[i].outputs.size(); ++k)
        sizes_[plan.nodes[i].outputs[k]] = plan.nodes[i].output_dims[k];
    }
  }

  std::optional<CudaKernel> write(const std::string& name) {
    for (const std::size_t node : nodes_) {
      if (!add(node)) return std::nullopt;
    }
    for (const ValueId id : kept_) made_.outputs.push_back(id);
    made_.text = fmt::format("extern \"C\" __global__ void {}({}) {{\n{}}}\n", name, parameters(),
                             is_dense() ? lanes_text() : elements_text());
    return std::move(made_);
  }

 private:
  static std::string type(DType dtype) { return codegen::type_name(dtype); }

  bool add(std::size_t node) {
    const PlannedNode& planned = plan_.nodes[node];
    const ValueId output = planned.outputs.front();
    const DType dtype = graph_.value(output).dtype;
    if (planned.output_dims.front() != dims_ || !has_c_type(dtype)) return false;
    bool has_types = true;
    const auto element = [&](ValueId id) {
      has_types = has_types && has_c_type(graph_.value(id).dtype);
      return variable(id);
    };
    const auto formula =
        codegen::node_formula(graph_, node, planned, codegen::cpp_language(), element);
    if (!formula || !has_types) return false;
    const std::string name = fmt::format("v{}", variables_.size());
    variables_[output] = name;
    body_.push_back(fmt::format("const {} {} = {};", type(dtype), name, formula->text));
    return true;
  }

  // The variable of a value: of a node before, or of an input, which is read at its first use.
  std::string variable(ValueId id) {
    const auto [at, added] = variables_.try_emplace(id, fmt::format("v{}", variables_.size()));
    if (added) made_.inputs.push_back(id);
    return at->second;
  }

  bool is_input_dense(ValueId id) const { return sizes_.at(id) == dims_; }
  bool is_input_single(ValueId id) const { return element_count(sizes_.at(id)) == 1; }

  // Whether neighbours of the result are neighbours in each input.
  bool is_dense() const {
    return element_count(dims_) % lanes == 0 &&
           std::all_of(made_.inputs.begin(), made_.inputs.end(),
                       [&](ValueId id) { return is_input_dense(id) || is_input_single(id); });
  }

  std::string parameters() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < made_.inputs.size(); ++i) {
      all.push_back(
          fmt::format("const {}* __restrict__ x{}", type(graph_.value(made_.inputs[i]).dtype), i));
    }
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      all.push_back(fmt::format("{}* __restrict__ y{}", type(graph_.value(kept_[i]).dtype), i));
    }
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string loop(std::int64_t count, const std::string& body) const {
    return fmt::format("  for (int64_t n = first_item(); n < {}; n += item_step()) {{\n{}  }}\n",
                       count, body);
  }

  std::string elements_text() const {
    std::string text;
    for (std::size_t i = 0; i < made_.inputs.size(); ++i) {
      text += read(i, fmt::format("x{}[{}]", i, index(made_.inputs[i])));
    }
    for (const std::string& line : body_) text += "    " + line + "\n";
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      text += fmt::format("    y{}[n] = {};\n", i, variables_.at(kept_[i]));
    }
    return loop(element_count(dims_), text);
  }

  // Four elements with each load and store.
  std::string lanes_text() const {
    std::string loads, reads, stores, results;
    for (std::size_t i = 0; i < made_.inputs.size(); ++i) {
      const DType dtype = graph_.value(made_.inputs[i]).dtype;
      if (is_input_dense(made_.inputs[i])) {
        loads += fmt::format("    const Lanes<{0}> a{1} = lanes_of(x{1})[n];\n", type(dtype), i);
        reads += "  " + read(i, fmt::format("a{}.at[k]", i));
      } else {
        reads += "  " + read(i, fmt::format("x{}[0]", i));
      }
    }
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      loads += fmt::format("    Lanes<{}> b{};\n", type(graph_.value(kept_[i]).dtype), i);
      results += fmt::format("      b{}.at[k] = {};\n", i, variables_.at(kept_[i]));
      stores += fmt::format("    lanes_of(y{0})[n] = b{0};\n", i);
    }
    std::string lines;
    for (const std::string& line : body_) lines += "      " + line + "\n";
    return loop(
        element_count(dims_) / lanes,
        fmt::format("{}#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n{}{}{}    }}\n{}",
                    loads, lanes, reads, lines, results, stores));
  }

  std::string read(std::size_t input, const std::string& from) const {
    const ValueId id = made_.inputs[input];
    return fmt::format("    const {} {} = {};\n", type(graph_.value(id).dtype), variables_.at(id),
                       from);
  }

  // The index of the element that a broadcast input has for element n.
  std::string index(ValueId id) const {
    if (is_input_single(id)) return "0";
    if (is_input_dense(id)) return "n";
    const codegen::LoopNest nest(dims_, {sizes_.at(id)});
    const std::vector<std::int64_t>& sizes = nest.sizes();
    std::string text = nest.index(0);
    std::int64_t inner = 1;
    std::vector<std::string> places(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0; inner *= sizes[axis]) {
      places[axis] = inner == 1 ? "n" : fmt::format("n / {}", inner);
      if (axis > 0) places[axis] = fmt::format("({}) % {}", places[axis], sizes[axis]);
    }
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t axis = 0;
      while (axis < sizes.size() && !text.substr(at).starts_with(codegen::LoopNest::variable(axis)))
        ++axis;
      if (axis < sizes.size()) {
        result += "(" + places[axis] + ")";
        at += codegen::LoopNest::variable(axis).size();
      } else {
        result += text[at++];
      }
    }
    return result;
  }

  const Graph& graph_;
  const Plan& plan_;
  const std::span<const std::size_t> nodes_;
  const std::span<const ValueId> kept_;
  const Dims dims_;
  std::map<ValueId, Dims> sizes_;
  std::map<ValueId, std::string> variables_;
  std::vector<std::string> body_;
  CudaKernel made_;
};

}  // namespace

std::optional<CudaKernel> cuda_kernel(const Graph& graph, const Plan& plan,
                                      std::span<const std::size_t> nodes,
                                      std::span<const ValueId> kept, const std::string& name) {
  return KernelText(graph, plan, nodes, kept).write(name);
}

std::string_view cuda_prelude() {
  return R"(typedef int int32_t;
typedef long long int64_t;

template <typename T>
struct alignas(4 * sizeof(T)) Lanes {
  T at[4];
};
template <typename T>
__device__ const Lanes<T>* lanes_of(const T* elements) {
  return reinterpret_cast<const Lanes<T>*>(elements);
}
template <typename T>
__device__ Lanes<T>* lanes_of(T* elements) {
  return reinterpret_cast<Lanes<T>*>(elements);
}
__device__ int64_t first_item() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ int64_t item_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Ints wrap, as everywhere in Mithril.
template <typename T> struct Unsigned;
template <> struct Unsigned<int32_t> { typedef unsigned type; };
template <> struct Unsigned<int64_t> { typedef unsigned long long type; };
template <typename T>
__device__ T wrapping_sum(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_difference(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_product(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <typename T>
__device__ T wrapping_magnitude(T a) {
  return a < 0 ? wrapping_difference<T>(0, a) : a;
}
template <typename T>
__device__ T shifted_left(T a, T shift) {
  typedef typename Unsigned<T>::type U;
  return shift < 0 || shift >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<U>(a) << shift);
}
template <typename T>
__device__ T shifted_right(T a, T shift) {
  if (shift < 0 || shift >= 8 * sizeof(T)) return a < 0 ? T(-1) : T(0);
  return static_cast<T>(a >> shift);
}
template <typename T>
__device__ T whole_power(T base, T exponent) {
  if (exponent < 0 && base == T(-1)) return exponent % 2 == 0 ? T(1) : T(-1);
  if (exponent < 0) return base == 1;
  T result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapping_product<T>(result, base);
    base = wrapping_product<T>(base, base);
  }
  return result;
}
__device__ float float_exp(float x) { return ::expf(x); }
__device__ float float_tanh(float x) { return ::tanhf(x); }
__device__ float float_erf(float x) { return ::erff(x); }

namespace std {
template <typename T> struct numeric_limits;
template <> struct numeric_limits<float> {
  __device__ static float infinity() { return __int_as_float(0x7f800000); }
  __device__ static float quiet_NaN() { return __int_as_float(0x7fffffff); }
};
template <> struct numeric_limits<double> {
  __device__ static double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
  __device__ static double quiet_NaN() { return __longlong_as_double(0x7fffffffffffffffLL); }
};
template <> struct numeric_limits<int32_t> {
  __device__ static constexpr int32_t min() { return -2147483647 - 1; }
};
template <> struct numeric_limits<int64_t> {
  __device__ static constexpr int64_t min() { return -9223372036854775807LL - 1; }
};
#define FUNCTION(name)                                     \
  __device__ float name(float x) { return ::name##f(x); } \
  __device__ double name(double x) { return ::name(x); }
FUNCTION(atan) FUNCTION(cos) FUNCTION(erf) FUNCTION(erfc) FUNCTION(exp) FUNCTION(expm1)
FUNCTION(floor) FUNCTION(lgamma) FUNCTION(log) FUNCTION(log1p) FUNCTION(rint) FUNCTION(sin)
FUNCTION(sqrt) FUNCTION(tanh) FUNCTION(trunc)
#undef FUNCTION
__device__ float abs(float x) { return ::fabsf(x); }
__device__ double abs(double x) { return ::fabs(x); }
__device__ float atan2(float y, float x) { return ::atan2f(y, x); }
__device__ double atan2(double y, double x) { return ::atan2(y, x); }
__device__ float pow(float x, float y) { return ::powf(x, y); }
__device__ double pow(double x, double y) { return ::pow(x, y); }
template <typename T>
__device__ T max(T a, T b) { return a < b ? b : a; }
template <typename T>
__device__ T min(T a, T b) { return b < a ? b : a; }
}  // namespace std

template <typename T, typename From>
__device__ T to_integer(From number) {
  const T least = std::numeric_limits<T>::min();
  const double limit = -static_cast<double>(least);
  const double whole = ::trunc(static_cast<double>(number));
  return whole >= -limit && whole < limit ? static_cast<T>(whole) : least;
}
)";
}

}  // namespace mithril
