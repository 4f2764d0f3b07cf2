// Levels that an edit makes again are as they were.
#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/edit/edit.hpp"
#include "mithril/edit/levels.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/model/part_view.hpp"
#include "mithril/models/library.hpp"
#include "tests/environment.hpp"
#include "tests/json/check_round_trip.hpp"
#include "tests/random_models/generator.hpp"

namespace mithril::tests {
namespace {

// Renames a part and takes that back.
void make_again(const Model& model, const PartView& part) {
  const std::string path = part.path(), name = part.name(), other = "another_name";
  const std::string outer = path.substr(0, path.size() - name.size());
  CAPTURE(path);
  EditableModel edited = edit(model);
  edited.rename(path, other);
  CHECK_FALSE(edited == model);
  edited.rename(outer + other, name);
  CHECK(to_json(edited) == to_json(model));
  check_round_trip(edited);
}

// Parts of models that their user composed.
void each_composed(const std::vector<PartView>& parts, const Model& model) {
  for (const PartView& part : parts) {
    make_again(model, part);
    if (part.is_composed()) each_composed(part.parts(), model);
  }
}

}  // namespace

TEST_CASE("random compositions are equal after a part is renamed there and back") {
  for (uint64_t seed = 1; seed <= sampled(3, sanitized ? 3 : 12); ++seed) {
    CAPTURE(seed);
    const RandomModel random = random_model(seed);
    for (const bool nested : {false, true}) {
      const Model model = compose(random, {.nested = nested, .order = seed, .fillers = true});
      each_composed(parts(model), model);
    }
  }
}

TEST_CASE("opened models of the library have the ports and the graph of closed ones") {
  size_t count = 0;
  for (const ModelDef* def : all_models()) {
    const bool has_defaults =
        std::all_of(def->arguments.begin(), def->arguments.end(),
                    [](const ArgumentDef& argument) { return argument.fallback.has_value(); });
    if (!has_defaults) continue;
    CAPTURE(def->name);
    const Model closed = make_model(def->name), open = opened(closed);
    CHECK(open.input_keys() == closed.input_keys());
    CHECK(open.output_keys() == closed.output_keys());
    CHECK(open.call_order() == closed.call_order());
    for (const auto& [key, shape] : closed.get_shapes())
      CHECK(to_string(open.get_shapes().at(key)) == to_string(shape));
    ++count;
  }
  CHECK(count > 40);
}

}  // namespace mithril::tests
