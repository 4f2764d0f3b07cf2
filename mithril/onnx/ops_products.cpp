// Products of matrices.
#include <algorithm>
#include <span>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

Outputs mat_mul(const NodeContext& node) {
  return {matrix_product(node[0], node[1], node.rank(0), node.rank(1))};
}

// `is_batch`: the first axis becomes that of the rows. `is_last`: rows and columns are swapped.
Connection transposed_operand(const NodeContext& node, std::size_t i, bool is_batch, bool is_last) {
  if (!is_batch && !is_last) return node[i];
  const std::size_t rank = node.rank(i);
  if (rank < 2) return node[i];
  std::vector<std::int64_t> axes = range_to(rank);
  if (is_batch) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (is_last) std::swap(axes[rank - 2], axes[rank - 1]);
  return transposed(node[i], axes);
}

Outputs fused_mat_mul(const NodeContext& node) {
  const Connection a = transposed_operand(node, 0, node.flag("transBatchA"), node.flag("transA"));
  const Connection b = transposed_operand(node, 1, node.flag("transBatchB"), node.flag("transB"));
  const Connection made = matrix_product(a, b, node.rank(0), node.rank(1));
  const double alpha = node.real("alpha", 1.0);
  return {alpha == 1.0 ? made : made * alpha};
}

// Rows of numbers of 2, 4 or 8 bits, of which each row begins with a byte.
class PackedRows {
 public:
  PackedRows(const Tensor& bytes, std::int64_t bits, std::int64_t row_bytes)
      : bytes_(bytes.values<std::uint8_t>()), bits_(bits), row_bytes_(row_bytes) {}

  int at(std::int64_t row, std::int64_t column) const {
    const std::int64_t bit = column * bits_;
    const int byte = bytes_[static_cast<std::size_t>(row * row_bytes_ + bit / 8)];
    return (byte >> (bit % 8)) & ((1 << bits_) - 1);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::int64_t bits_, row_bytes_;
};

// The weight [N, K] of a MatMulNBits. Each block of a row has a scale and a zero point.
Tensor unpacked_weight(const NodeContext& node) {
  const std::int64_t bits = node.integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8)
    refuse("its numbers have " + std::to_string(bits) + " bits");
  const auto size = [&](const char* name, std::int64_t most) {
    return within(std::string("its attribute '") + name + "'", node.integer(name), 1, most);
  };
  const std::int64_t rows = size("N", most_number), columns = size("K", most_number);
  const std::int64_t block = size("block_size", 1 << 16);
  if (block % 16 != 0) refuse("its blocks are not a multiple of 16");
  const std::int64_t blocks = (columns + block - 1) / block, zero_bytes = (blocks * bits + 7) / 8;
  const std::int64_t row_bytes = blocks * block * bits / 8;
  const auto need_size = [&](std::size_t i, std::int64_t expected) {
    need_count("its input " + std::to_string(i), static_cast<std::size_t>(node.known(i).size()),
               static_cast<std::size_t>(expected));
  };
  if (node.type(1) != ElementType::uint8) refuse("its weight is " + name_of(node.type(1)));
  need_size(1, rows * row_bytes);
  need_size(2, rows * blocks);
  const Tensor scales = node.known(2).to(DType::float32);
  const PackedRows numbers(node.known(1), bits, row_bytes);
  const bool has_packed_zeros = node.has(3) && node.type(3) == ElementType::uint8;
  std::optional<PackedRows> packed_zeros;
  std::optional<Tensor> zeros;
  if (has_packed_zeros) {
    need_size(3, rows * zero_bytes);
    packed_zeros.emplace(node.known(3), bits, zero_bytes);
  } else if (node.has(3)) {
    need_size(3, rows * blocks);
    zeros = node.known(3).to(DType::float32);
  }
  const auto zero_of = [&](std::int64_t row, std::int64_t b) {
    if (packed_zeros) return static_cast<float>(packed_zeros->at(row, b));
    if (zeros) return zeros->values<float>()[static_cast<std::size_t>(row * blocks + b)];
    return static_cast<float>(1 << (bits - 1));
  };
  std::vector<float> made;
  made.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t b = column / block;
      const float scale = scales.values<float>()[static_cast<std::size_t>(row * blocks + b)];
      made.push_back((static_cast<float>(numbers.at(row, column)) - zero_of(row, b)) * scale);
    }
  }
  return Tensor::of({rows, columns}, made);
}

Outputs mat_mul_n_bits(const NodeContext& node) {
  if (node.has(4)) refuse("indices of groups are not supported");
  if (node.flag("weight_prepacked")) refuse("its weight is packed for one kind of device");
  const Tensor elements = unpacked_weight(node);
  Value weight(elements.to(*held_dtype(node.type())), node.type());
  weight.name = node.value(1).name;
  weight.is_weight = true;
  const Binding bias = node.has(5) ? Binding(node[5]) : Binding(none);
  return {apply("linear", {node[0], node.workspace().connection(weight), bias})};
}

Outputs gemm(const NodeContext& node) {
  node.need_rank(0, 2, 2);
  node.need_rank(1, 2, 2);
  const double alpha = node.real("alpha", 1.0), beta = node.real("beta", 1.0);
  const bool transposes_b = node.flag("transB");
  const Connection a = node.flag("transA") ? node[0].T() : node[0];
  const bool is_int_type = is_int(node.type());
  if (is_int_type && (alpha != 1.0 || beta != 1.0)) refuse("it scales ints");
  const bool is_linear = transposes_b && alpha == 1.0 && beta == 1.0 && !is_int_type;
  if (is_linear && (!node.has(2) || node.rank(2) == 1)) {
    const auto bias_dims = node.has(2) ? node.dims(2) : std::nullopt;
    const auto weight_dims = node.dims(1);
    if (!node.has(2)) return {apply("linear", {a, node[1], none})};
    if (bias_dims && weight_dims && (*bias_dims)[0] == (*weight_dims)[0])
      return {apply("linear", {a, node[1], node[2]})};
  }
  Connection made = apply("matmul", {a, transposes_b ? node[1].T() : node[1]});
  if (alpha != 1.0) made = made * alpha;
  if (!node.has(2) || beta == 0.0) return {made};
  return {made + (beta == 1.0 ? node[2] : node[2] * beta)};
}

Outputs einsum(const NodeContext& node) {
  const std::string equation = node.text("equation");
  // Each input, and the result, has a letter for each axis, commas and spaces.
  const auto longest = static_cast<std::int64_t>(4 * most_axes * (node.count() + 1));
  within("the length of its equation", static_cast<std::int64_t>(equation.size()), 0, longest);
  std::vector<Binding> inputs;
  for (std::size_t i = 0; i < node.count(); ++i) inputs.emplace_back(node[i]);
  return {apply("einsum", {Binding(inputs), Datum(equation)})};
}

Outputs det(const NodeContext& node) { return {apply("det", {node[0]})}; }

}  // namespace

std::vector<OpRow> product_rows() {
  return {
      of_floats({"Det", 11, det, "Det"}),
      {"Einsum", 12, einsum, "Einsum"},
      of_microsoft(of_floats({"FusedMatMul", 1, fused_mat_mul, "Transpose, MatrixMultiply"})),
      {"Gemm", 1, gemm, "PrimitiveLinear, MatrixMultiply, Add"},
      {"MatMul", 1, mat_mul, "MatrixMultiply"},
      of_microsoft(of_floats({"MatMulNBits", 1, mat_mul_n_bits, "PrimitiveLinear",
                              "g_idx; 3, 5, 6 and 7 bits; weights that depend on data", true})),
  };
}

}  // namespace mithril::onnx
