#include "backends/cpu/product.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/matmul.hpp"
#include "backends/cpu/pool.hpp"

namespace mithril::cpu_backend {
namespace {

// A side of a product: a tensor, with its last two axes as they are or exchanged.
struct Side {
  ValueId id;
  bool transposed = false;
};

// Which matrices of the two sides meet, in elements from their beginnings.
struct Meeting {
  int64_t left, right;
};

struct Form {
  int64_t rows, columns, depth;
  int64_t left_row_step, left_column_step, right_row_step, right_column_step;
  std::vector<Meeting> meetings;
};

template <typename T>
class ProductStep final : public Step {
 public:
  ProductStep(Form form, int threads, Place left, Place right, std::optional<Place> bias,
              Place product, Place scratch, PackedConstants::Bytes packed,
              std::unique_ptr<ElementStep> finish)
      : form_(std::move(form)),
        plan_(product_of(form_)),
        threads_(threads),
        left_(left),
        right_(right),
        bias_(bias),
        product_(product),
        scratch_(scratch),
        packed_(std::move(packed)),
        finish_(std::move(finish)) {}

  // Without its elements.
  static Product<T> product_of(const Form& form) {
    return {.kernels = &matmul_kernels<T>(),
            .rows = form.rows,
            .columns = form.columns,
            .depth = form.depth,
            .left = {nullptr, form.left_row_step, form.left_column_step},
            .right = {nullptr, form.right_row_step, form.right_column_step}};
  }

  // Bytes that a run needs beside what it reads and writes.
  static int64_t scratch_bytes(const Form& form, bool packed) {
    const MatmulPlan plan(product_of(form));
    return packed || !plan.packs() ? 0 : plan.packed_count() * int64_t{sizeof(T)};
  }

  void run(const Frame& frame) const override {
    Product<T> product = begin(frame);
    const T *left = product.left.data, *right = product.right.data;
    int64_t origin = 0;
    for (const Meeting& meeting : form_.meetings) {
      product.finish = Finish(finish_.get(), &frame, origin);
      origin += form_.rows * form_.columns;
      product.left.data = left + meeting.left;
      product.right.data = right + meeting.right;
      multiply_one(product, frame);
      product.product += form_.rows * form_.columns;
    }
  }

 private:
  Product<T> begin(const Frame& frame) const {
    Product<T> product = product_of(form_);
    product.left.data = frame.read<T>(left_);
    product.right.data = frame.read<T>(right_);
    product.packed = reinterpret_cast<const T*>(packed_.get());
    if (bias_) product.bias = frame.read<T>(*bias_);
    product.product = frame.write<T>(product_);
    return product;
  }

  void multiply_one(Product<T>& product, const Frame& frame) const {
    Pool& pool = Pool::shared();
    if (!packed_ && plan_.packs()) {
      T* packed = frame.write<T>(scratch_);
      const int64_t panels = plan_.panels();
      const auto parts = static_cast<int>(std::min<int64_t>(plan_.tasks(threads_), panels));
      pool.run(parts, threads_, [&](int part) {
        pack_right(product, panels * part / parts, panels * (part + 1) / parts, packed);
      });
      product.packed = packed;
    }
    pool.run(plan_.tasks(threads_), threads_,
             [&](int task) { multiply(product, plan_, plan_.block(task, threads_)); });
  }

  Form form_;
  MatmulPlan plan_;
  int threads_;
  Place left_, right_;
  std::optional<Place> bias_;
  Place product_, scratch_;
  PackedConstants::Bytes packed_;
  std::unique_ptr<ElementStep> finish_;  // null: nothing is done with what is made
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

// What is only another one with its axes exchanged is read so.
Side read_through(const Context& context, Side side) {
  const std::optional<ValueId> source = context.transposes[index(side.id)];
  return source ? Side{*source, !side.transposed} : side;
}

// Of the axes before the last two: how far a side moves along each axis of the product.
std::vector<int64_t> batch_steps(const Dims& dims, size_t product_rank) {
  std::vector<int64_t> steps(product_rank - 2);
  int64_t step = dims[dims.size() - 1] * dims[dims.size() - 2];
  for (size_t back = 3; back <= dims.size(); ++back) {
    const int64_t size = dims[dims.size() - back];
    steps[product_rank - back] = size == 1 ? 0 : step;
    step *= size;
  }
  return steps;
}

std::vector<Meeting> meetings(const Dims& left, const Dims& right, const Dims& product) {
  const auto left_steps = batch_steps(left, product.size());
  const auto right_steps = batch_steps(right, product.size());
  std::vector<Meeting> all{{0, 0}};
  for (size_t axis = 0; axis + 2 < product.size(); ++axis) {
    std::vector<Meeting> more;
    for (const Meeting& at : all) {
      for (int64_t i = 0; i < product[axis]; ++i) {
        more.push_back({at.left + i * left_steps[axis], at.right + i * right_steps[axis]});
      }
    }
    all = std::move(more);
  }
  return all;
}

// One matrix for all on the right: the rows of all on the left are rows of one matrix.
bool is_shared(const Dims& right) {
  return std::all_of(right.begin(), right.end() - 2, [](int64_t size) { return size == 1; });
}

Form form_of(const Sized& sized, Side left, Side right, ValueId product) {
  const Dims &a = sized.dims(left.id), &b = sized.dims(right.id), &c = sized.dims(product);
  Form form{.rows = c[c.size() - 2],
            .columns = c.back(),
            .depth = a[a.size() - (left.transposed ? 2 : 1)],
            .left_row_step = left.transposed ? 1 : a.back(),
            .left_column_step = left.transposed ? a.back() : 1,
            .right_row_step = right.transposed ? 1 : b.back(),
            .right_column_step = right.transposed ? b.back() : 1,
            .meetings = {}};
  if (is_shared(b) && !left.transposed && form.columns > 0) {
    form.rows = sized.count(product) / form.columns;
    form.meetings = {{0, 0}};
  } else if (sized.count(product) > 0) {
    form.meetings = meetings(a, b, c);
  }
  return form;
}

template <typename T>
PackedConstants::Bytes packed_right(const Context& context, const Form& form, Side right) {
  const Tensor* constant = context.packed.find(right.id);
  if (!constant || form.meetings.size() != 1 || form.depth * form.columns == 0) return nullptr;
  return context.packed.pack(right.id, right.transposed, [&](const Tensor& tensor) {
    Product<T> product = ProductStep<T>::product_of(form);
    const MatmulPlan plan(product);
    auto bytes = aligned_bytes(plan.packed_count() * int64_t{sizeof(T)});
    const Tensor host = tensor.host();
    product.right.data = host.data<T>();
    pack_right(product, 0, plan.panels(), reinterpret_cast<T*>(bytes.get()));
    return bytes;
  });
}

template <typename T>
Draft draft(const Context& context, Side left, Side right, std::optional<Side> bias,
            ValueId product) {
  const Form form = form_of(context.sized, left, right, product);
  const PackedConstants::Bytes packed = packed_right<T>(context, form, right);
  std::vector<ValueId> reads{left.id, right.id};
  if (bias) reads.push_back(bias->id);
  const auto make = [=, threads = context.threads](const Places& places, Place scratch,
                                                   std::unique_ptr<ElementStep> finish) {
    std::optional<Place> bias_place;
    if (bias) bias_place = places[index(bias->id)];
    return std::make_unique<ProductStep<T>>(
        form, threads, places[index(left.id)], places[index(right.id)], bias_place,
        places[index(product)], scratch, packed, std::move(finish));
  };
  return {.reads = reads,
          .writes = {product},
          .scratch_bytes = ProductStep<T>::scratch_bytes(form, packed != nullptr),
          .make = [make](const Places& places,
                         Place scratch) { return make(places, scratch, nullptr); },
          .make_finished = make};
}

}  // namespace

std::optional<Draft> draft_product(const Context& context, size_t at,
                                   const SpelledExpression& call) {
  const Node& node = context.sized.node(at);
  const PlannedNode& planned = context.sized.planned(at);
  const ValueId product = node.outputs.front();
  const DType dtype = context.sized.dtype(product);
  std::vector<std::optional<Side>> sides;
  for (const SpelledExpression& argument : call.children) {
    sides.push_back(side_of(planned, node, argument));
    if (sides.back() && context.sized.dtype(sides.back()->id) != dtype) return std::nullopt;
  }
  if (!sides[0] || !sides[1]) return std::nullopt;
  const Side left = read_through(context, *sides[0]), right = read_through(context, *sides[1]);
  const std::optional<Side> bias = sides.size() > 2 ? sides[2] : std::nullopt;
  if (dtype == DType::float32) return draft<float>(context, left, right, bias, product);
  if (dtype == DType::float64) return draft<double>(context, left, right, bias, product);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
