#include "mithril/graph/scan_gradient.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mithril/graph/dependence.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/open_sizes.hpp"
#include "mithril/graph/reverse_mode.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

class ScanGradient {
 public:
  explicit ScanGradient(GradContext& context)
      : context_(context),
        scan_(scan_of(context)),
        joint_(scan_.body),
        prefix_(free_prefix(joint_, "grad.")),
        forward_nodes_(joint_.nodes().size()),
        makers_(joint_.values().size()) {
    for (size_t n = 0; n < forward_nodes_; ++n) {
      for (const ValueId id : joint_.nodes()[n].outputs) makers_[index(id)] = n;
    }
    find_wanted();
  }

  // The carries that have gradients follow from what the body reads, unless an op passes no
  // gradient on. Then the body is differentiated several times, and so are loops in it each time.
  void run() {
    std::vector<bool> outputs;
    for (int k = 0; k < context_.output_count(); ++k) outputs.push_back(context_.has_out_grad(k));
    const std::vector<bool> given = outputs;
    add_read_carries(dependence(scan_.body, Through::floats), scan_.carries, outputs);
    used_ = outputs;
    if (!differentiate_body() || has_idle_carry(given)) {
      used_ = given;
      while (!differentiate_body()) {
      }
    }
    if (gradients_of_step().empty() && products_.empty()) return;  // no gradient flows
    find_reads();
    write_backward();
  }

 private:
  // What becomes of a value of the forward body that the gradient reads.
  enum class Read : char { none, again, saved };

  bool is_float(size_t i) const { return is_floating(joint_.value(input(i)).dtype); }
  ValueId input(size_t i) const { return scan_.body.inputs()[i]; }
  bool is_carry(size_t i) const { return i < scan_.carries; }
  bool is_sequence(size_t i) const { return !is_carry(i) && i < scan_.carries + scan_.sequences; }
  bool is_kept(size_t i) const { return i >= scan_.carries + scan_.sequences; }

  // The inputs by which the body is differentiated: those whose gradient is needed, and the carries
  // through which it flows.
  void find_wanted() {
    wanted_.resize(scan_.arguments.size());
    for (size_t i = 0; i < wanted_.size(); ++i)
      wanted_[i] = is_float(i) && context_.needs("arguments", static_cast<int>(i));
    for (bool more = true; more;) {
      more = false;
      const std::vector<bool> reached = reached_from_wanted();
      for (size_t i = 0; i < scan_.carries; ++i) {
        const ValueId next = scan_.body.outputs()[i].value;
        if (wanted_[i] || !is_float(i) || !reached[index(next)]) continue;
        wanted_[i] = more = true;
      }
    }
  }

  std::vector<bool> reached_from_wanted() const {
    std::vector<bool> reached(scan_.body.values().size());
    for (size_t i = 0; i < wanted_.size(); ++i) reached[index(input(i))] = wanted_[i];
    for (const Node& node : scan_.body.nodes()) {
      const bool reads =
          std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
            const ValueId* id = tensor_of(argument);
            return id && reached[index(*id)];
          });
      for (const ValueId id : node.outputs)
        reached[index(id)] = reads && is_floating(scan_.body.value(id).dtype);
    }
    return reached;
  }

  ValueId add_input(const std::string& name, ValueId like) {
    Value value = joint_.value(like);
    value.name = prefix_ + name;
    return joint_.add_input(std::move(value));
  }

  // An input of the backward body: its argument outside.
  struct BackwardInput {
    ValueId inner;
    ValueId outer;
  };

  // Whether no gradient from outside reaches a carry of used_.
  bool has_idle_carry(const std::vector<bool>& given) const {
    std::vector<ValueId> incoming, results;
    std::vector<bool> live;
    for (size_t k = 0; k < carry_results_.size(); ++k) {
      if (!is_carry(carry_results_[k].argument)) continue;
      incoming.push_back(carries_[k].inner);
      results.push_back(carry_results_[k].gradient);
      live.push_back(given[carry_results_[k].argument]);
    }
    for (const BackwardInput& stack : stacks_) incoming.push_back(stack.inner);
    live.resize(incoming.size(), true);
    add_reached_carries(joint_, incoming, results, live);
    return std::find(live.begin(), live.end(), false) != live.end();
  }

  // False if the gradient of a carry is not zero that was taken to be: now it is one of used_.
  // The gradients of running statistics stay zero, because no output depends on them.
  bool differentiate_body() {
    joint_ = scan_.body;
    carries_.clear();
    stacks_.clear();
    carry_results_.clear();
    stack_results_.clear();
    products_.clear();
    std::vector<std::pair<ValueId, ValueId>> seeds;  // values, and their gradients
    std::vector<ValueId> wanted;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i]) wanted.push_back(input(i));
    }
    for (size_t i = 0; i < scan_.carries; ++i) {
      if (!wanted_[i] || !used_[i]) continue;
      const ValueId incoming = add_input("carry_" + std::to_string(i), input(i));
      carries_.push_back({incoming, context_.out_grad(static_cast<int>(i)).id});
      seeds.push_back({scan_.body.outputs()[i].value, incoming});
    }
    for (size_t k = scan_.carries; k < scan_.body.outputs().size(); ++k) {
      const ValueId made = scan_.body.outputs()[k].value;
      if (!context_.has_out_grad(static_cast<int>(k)) || !is_floating(joint_.value(made).dtype))
        continue;
      const ValueId incoming = add_input("stack_" + std::to_string(k), made);
      stacks_.push_back({incoming, context_.out_grad(static_cast<int>(k)).id});
      seeds.push_back({made, incoming});
    }
    ReverseMode reverse(joint_, prefix_, wanted);
    for (const auto& [value, gradient] : seeds) reverse.seed(value, gradient);
    reverse.run();
    bool complete = true;
    for (size_t i = 0; i < scan_.carries; ++i) {
      if (!wanted_[i] || used_[i] || !reverse.gradient(input(i))) continue;
      used_[i] = true;
      complete = false;
    }
    if (!complete) return false;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i] || (is_carry(i) && !used_[i])) continue;
      if (is_carry(i)) {
        carry_results_.push_back(
            {i, reverse.gradient_or_zeros(input(i), joint_.value(input(i)).name)});
      } else if (const auto gradient = reverse.gradient(input(i))) {
        is_sequence(i) ? void(stack_results_.push_back({i, *gradient})) : add_term(i, *gradient);
      }
    }
    return true;
  }

  // A value that every step reads has the sum of the gradients of all steps.
  void add_term(size_t i, ValueId gradient) {
    if (const auto product = product_of(gradient))
      products_.push_back({i, product->first, product->second});
    else
      add_to_sum(i, gradient);
  }

  // The matrices a and b if the value is their product a' b. The sum over all steps is one product
  // of all their rows, after the loop. Not in a loop over segments, which is there to keep less,
  // and not where the sum is smaller than the rows of one step.
  std::optional<std::pair<ValueId, ValueId>> product_of(ValueId value) const {
    const auto& nodes = scan_.body.nodes();
    if (std::any_of(nodes.begin(), nodes.end(), is_scan)) return std::nullopt;
    const auto factors = factors_of_product(joint_, value);
    if (!factors) return std::nullopt;
    const auto [a, b] = *factors;
    const std::vector<Dim>&rows = joint_.value(a).dims, &others = joint_.value(b).dims;
    if (rows.size() != 2 || others.size() != 2) return std::nullopt;
    const Dim of_step = resolve(rows[0] * (rows[1] + others[1])),
              sum = resolve(rows[1] * others[1]);
    if (of_step.is_constant() && sum.is_constant() && of_step.constant() >= sum.constant())
      return std::nullopt;
    return std::pair(a, b);
  }

  void add_to_sum(size_t i, ValueId gradient) {
    const ValueId sum = add_input("sum_" + std::to_string(i), input(i));
    const std::string scope = prefix_ + joint_.value(input(i)).name;
    const Expression before{&joint_, sum, &scope}, term{&joint_, gradient, &scope};
    carries_.push_back(
        {sum, call("fill_like", {context_.in("arguments", static_cast<int>(i)), 0.0}).id});
    carry_results_.push_back({i, (before + term).id});
  }

  // What the results read.
  void find_reads() {
    reads_.resize(joint_.values().size(), Read::none);
    needs_.resize(joint_.nodes().size());
    kept_only_.resize(scan_.body.values().size());
    for (size_t i = 0; i < scan_.arguments.size(); ++i) kept_only_[index(input(i))] = is_kept(i);
    for (const Constant& constant : scan_.body.constants())
      kept_only_[index(constant.value)] = true;
    for (const Node& node : scan_.body.nodes()) {
      const bool kept =
          std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
            const ValueId* id = tensor_of(argument);
            return !id || kept_only_[index(*id)];
          });
      for (const ValueId id : node.outputs) kept_only_[index(id)] = kept;
    }
    for (const ValueId id : gradients_of_step()) read(id);
    for (const Product& product : products_) {
      read(product.a);
      read(product.b);
    }
    for (size_t n = joint_.nodes().size(); n-- > 0;) {
      const Node& node = joint_.nodes()[n];
      const bool backward = n >= forward_nodes_;
      needs_[n] = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
        return backward ? reads_[index(id)] != Read::none : reads_[index(id)] == Read::again;
      });
      if (!needs_[n]) continue;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) read(*id);
      }
    }
  }

  void read(ValueId id) {
    if (reads_[index(id)] != Read::none) return;
    reads_[index(id)] = is_computed_again(id) ? Read::again : Read::saved;
  }

  // Values of the gradient, inputs that it can read itself, and what costs little to compute again.
  bool is_computed_again(ValueId id) const {
    if (index(id) >= scan_.body.values().size() || kept_only_[index(id)]) return true;
    const auto& maker = makers_[index(id)];
    if (maker) return scan_.body.nodes()[*maker].op->keeps_elements;
    for (size_t i = 0; i < scan_.carries; ++i) {
      if (input(i) == id) return false;
    }
    return true;
  }

  void write_backward() {
    ScanLoop backward{
        .body = {}, .length = scan_.length, .reverse = !scan_.reverse, .numbers = scan_.numbers};
    Graph& body = backward.body;
    body.share_facts(joint_);
    body.set_default_dtype(joint_.default_dtype());
    std::unordered_map<ValueId, ValueId> mapped;
    const auto add = [&](const BackwardInput& given) {
      mapped.emplace(given.inner, body.add_input(joint_.value(given.inner)));
      backward.arguments.push_back(given.outer);
    };
    const auto add_stack = [&](const BackwardInput& given) {
      add(given);
      known_stacks_.emplace(given.inner, given.outer);
    };
    for (const BackwardInput& given : carries_) add(given);
    backward.carries = carries_.size();
    for (const BackwardInput& given : saved()) add_stack(given);
    for (size_t i = 0; i < scan_.arguments.size(); ++i) {
      if (is_sequence(i) && is_read(input(i))) add_stack({input(i), scan_.arguments[i]});
    }
    for (const BackwardInput& given : stacks_) add_stack(given);
    backward.sequences = backward.arguments.size() - backward.carries;
    for (size_t i = 0; i < scan_.arguments.size(); ++i) {
      if (is_kept(i) && is_read(input(i))) add({input(i), scan_.arguments[i]});
    }
    for (const Constant& constant : scan_.body.constants())
      mapped.emplace(constant.value,
                     body.add_constant(joint_.value(constant.value).name, constant.tensor));
    copy_nodes(body, mapped);
    std::vector<ValueId> outputs = gradients_of_step();
    find_factors();
    outputs.insert(outputs.end(), factors_.begin(), factors_.end());
    for (const ValueId id : outputs)
      body.add_output("gradient_" + std::to_string(body.outputs().size()), mapped.at(id));
    body.drop_unread();
    add_size_arguments(backward, scan_, prefix_);
    flow(add_scan(graph(), backward, scope() + ".steps_back"));
  }

  void copy_nodes(Graph& body, std::unordered_map<ValueId, ValueId>& mapped) const {
    for (size_t n = 0; n < joint_.nodes().size(); ++n) {
      if (needs_[n]) copy_node(joint_, joint_.nodes()[n], body, mapped);
    }
  }

  bool is_read(ValueId id) const { return reads_[index(id)] != Read::none; }

  // The stacks of the values of the forward body that the gradient reads.
  std::vector<BackwardInput> saved() {
    ScanLoop forward = scan_;
    std::vector<ValueId> values;
    for (size_t v = 0; v < scan_.body.values().size(); ++v) {
      const ValueId id{static_cast<int32_t>(v)};
      if (reads_[v] != Read::saved) continue;
      values.push_back(id);
      forward.body.add_output(prefix_ + "saved_" + std::to_string(values.size()), id);
    }
    if (values.empty()) return {};
    const std::vector<ValueId> made = add_scan(graph(), forward, scope() + ".steps");
    std::vector<BackwardInput> inputs;
    for (size_t k = 0; k < values.size(); ++k)
      inputs.push_back({values[k], made[scan_.body.outputs().size() + k]});
    return inputs;
  }

  // What the backward body returns first: carries, then stacks.
  std::vector<ValueId> gradients_of_step() const {
    std::vector<ValueId> gradients;
    for (const Result& result : carry_results_) gradients.push_back(result.gradient);
    for (const Result& result : stack_results_) gradients.push_back(result.gradient);
    return gradients;
  }

  // The factors of products that have no stack yet.
  void find_factors() {
    for (const Product& product : products_) {
      for (const ValueId factor : {product.a, product.b}) {
        if (known_stacks_.contains(factor)) continue;
        if (std::find(factors_.begin(), factors_.end(), factor) == factors_.end())
          factors_.push_back(factor);
      }
    }
  }

  void flow(const std::vector<ValueId>& made) {
    size_t k = 0;
    for (const auto* results : {&carry_results_, &stack_results_}) {
      for (const Result& result : *results) flow(result.argument, outside(made[k++]));
    }
    for (const ValueId factor : factors_) known_stacks_.emplace(factor, made[k++]);
    for (const Product& product : products_) {
      const Expression a = all_rows(product.a), b = all_rows(product.b);
      flow(product.argument, call("matmul", {call("swapaxes", {a, -1, -2}), b}));
    }
  }

  Expression outside(ValueId id) const { return {&graph(), id, first().scope}; }
  // The matrices of all steps as one.
  Expression all_rows(ValueId factor) const {
    return call("flatten", {outside(known_stacks_.at(factor)), 0, -2});
  }

  void flow(size_t argument, const Expression& gradient) {
    const int at = static_cast<int>(argument);
    if (context_.needs("arguments", at)) context_.flow("arguments", gradient, at);
  }

  Expression first() const { return context_.in("arguments", 0); }
  Graph& graph() const { return *first().graph; }
  const std::string& scope() const { return *first().scope; }

  struct Result {
    size_t argument;   // of the scan
    ValueId gradient;  // a value of the joint graph
  };
  // A gradient a' b of each step: values of the joint graph, [N, O] and [N, I].
  struct Product {
    size_t argument;
    ValueId a, b;
  };

  GradContext& context_;
  const ScanLoop scan_;
  Graph joint_;  // the body and its gradient
  const std::string prefix_;
  const size_t forward_nodes_;
  std::vector<std::optional<size_t>> makers_;  // per value of the body: its node
  std::vector<bool> wanted_;                   // per argument
  std::vector<bool> used_;                     // per carry: its gradient may not be zero
  std::vector<BackwardInput> carries_, stacks_;
  std::vector<Result> carry_results_, stack_results_;
  std::vector<Product> products_;
  std::vector<ValueId> factors_;                       // that the backward body stacks
  std::unordered_map<ValueId, ValueId> known_stacks_;  // per value of the joint graph
  std::vector<Read> reads_;                            // per value of the joint graph
  std::vector<bool> needs_;      // per node of the joint graph: the backward body has it
  std::vector<bool> kept_only_;  // per value of the body: it depends on no step
};

}  // namespace

void differentiate_scan(GradContext& context) { ScanGradient(context).run(); }

}  // namespace mithril
