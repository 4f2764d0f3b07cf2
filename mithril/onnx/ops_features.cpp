// Features of rows: counts of n-grams, and ops of the domain ai.onnx.ml.
#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

constexpr std::int64_t most_skips = 1000;  // words between two words of a gram

// The n-grams of one length.
struct Grams {
  std::int64_t length;
  std::vector<std::int64_t> words;    // one gram after the other
  std::vector<std::int64_t> columns;  // of the output, for each gram
  std::int64_t count() const { return static_cast<std::int64_t>(columns.size()); }
  // Word i of each gram.
  Tensor word(std::int64_t i) const {
    std::vector<std::int64_t> made;
    for (std::int64_t k = 0; k < count(); ++k)
      made.push_back(words[static_cast<std::size_t>(k * length + i)]);
    return Tensor::of(made);
  }
};

// The n-grams of the lengths that the node counts, and the number of columns.
std::vector<Grams> grams_of(const NodeContext& node, std::int64_t& columns) {
  const auto list = [&](const char* name) {
    const auto found = node.integers(name);
    if (!found || found->empty()) refuse(std::string("its attribute '") + name + "' is missing");
    return *found;
  };
  if (!node.texts("pool_strings").empty()) refuse("strings are not supported");
  const std::vector<std::int64_t> pool = list("pool_int64s"), starts = list("ngram_counts"),
                                  indexes = list("ngram_indexes");
  const std::int64_t least = within("its min_gram_length", node.integer("min_gram_length"), 1);
  const std::int64_t most = within("its max_gram_length", node.integer("max_gram_length"), least);
  columns = within("an index", *std::max_element(indexes.begin(), indexes.end()), 0, most_made) + 1;
  std::vector<Grams> made;
  std::size_t next = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto length = static_cast<std::int64_t>(i) + 1;
    const auto total = static_cast<std::int64_t>(pool.size());
    const std::int64_t end = i + 1 < starts.size() ? starts[i + 1] : total;
    const std::int64_t begin = within("an element of its ngram_counts", starts[i], 0, total);
    within("an element of its ngram_counts", end, begin, total);
    if ((end - begin) % length != 0)
      refuse("its pool has " + std::to_string(end - begin) + " words of " + std::to_string(length) +
             "-grams");
    Grams grams{
        .length = length, .words = {pool.begin() + begin, pool.begin() + end}, .columns = {}};
    for (std::int64_t k = 0; k < (end - begin) / length; ++k) {
      if (next == indexes.size()) refuse("its ngram_indexes has fewer elements than n-grams");
      grams.columns.push_back(within("an index", indexes[next++], 0, columns - 1));
    }
    if (length >= least && length <= most && grams.count() > 0) made.push_back(std::move(grams));
  }
  return made;
}

// How often each n-gram occurs in each row of `words` ([..., size]): [..., grams]. The words of an
// occurrence are `distance` apart.
Connection occurrences(const Connection& words, std::int64_t size, const Grams& grams,
                       std::int64_t distance) {
  const std::int64_t places = size - (grams.length - 1) * distance;
  Connection found;
  for (std::int64_t i = 0; i < grams.length; ++i) {
    const Connection part = sliced(words, -1, i * distance, i * distance + places);
    const Connection equal = expanded(part, {-1}).eq(constant(grams.word(i)));
    found = i == 0 ? equal : found & equal;
  }
  return apply("sum", {found.cast(DType::float32), -2});
}

Outputs tf_idf_vectorizer(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 1, 2);
  if (!is_int(node.type())) refuse("its input is " + name_of(node.type()) + ", expected ints");
  const std::string mode = node.text("mode");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") refuse("its mode is " + mode);
  const std::vector<Size> sizes = node.sizes();
  const auto* size = std::get_if<std::int64_t>(&sizes.back());
  if (!size) refuse("it needs the number of words of a row", "shapes= of the inputs states it");
  const std::int64_t skips =
      within("its max_skip_count", node.integer("max_skip_count"), 0, most_skips);
  std::int64_t columns = 0;
  const std::vector<Grams> all = grams_of(node, columns);
  std::vector<Size> wide = part_of(sizes, 0, rank - 1);
  wide.emplace_back(columns);
  const ElementType type = ElementType::float32;
  Connection counts = apply("full", {Binding(bindings_of(wide)), 0.0, DType::float32});
  for (const Grams& grams : all) {
    // The distance of its words makes no difference to a gram of one word.
    const std::int64_t farthest = grams.length == 1 ? 1 : skips + 1;
    for (std::int64_t distance = 1; distance <= farthest; ++distance) {
      if ((grams.length - 1) * distance >= *size) break;
      const Connection found = occurrences(node[0], *size, grams, distance);
      std::vector<Size> own = part_of(sizes, 0, rank - 1);
      own.emplace_back(grams.count());
      const Connection places =
          apply("broadcast_to", {constant(grams.columns), Binding(bindings_of(own))});
      counts = apply("scatter", {counts, places, found, -1, Datum("add")});
    }
  }
  if (mode == "IDF") counts = (counts > 0.0).cast(DType::float32);
  const AttributeRecord* weights = node.attribute("weights");
  if (mode != "TF" && weights && !weights->floats.empty()) {
    need_count("its weights", weights->floats.size(), static_cast<std::size_t>(columns));
    counts = counts * constant(Tensor::of(weights->floats));
  }
  return {Value(counts, type)};
}

Outputs binarizer(const NodeContext& node) {
  const Connection above = apply("greater", {node[0], node.real("threshold", 0.0)});
  return {Value(converted(above, node.type()), node.type())};
}

// A vector is a matrix of one row.
Outputs array_feature_extractor(const NodeContext& node) {
  const bool is_row = node.need_rank(0, 1) == 1;
  return {
      apply("gather", {is_row ? expanded(node[0], {0}) : node[0], reshaped(node[1], {-1}), -1})};
}

OpRow of_ml(OpRow row) {
  row.domain = "ai.onnx.ml";
  return row;
}

}  // namespace

std::vector<OpRow> feature_rows() {
  return {
      of_ml({"ArrayFeatureExtractor", 1, array_feature_extractor, "Gather", "strings", true}),
      of_ml({"Binarizer", 1, binarizer, "Greater, Cast"}),
      {"TfIdfVectorizer", 9, tf_idf_vectorizer, "Equal, Sum, Scatter",
       "strings, rows whose size is not known"},
  };
}

}  // namespace mithril::onnx
