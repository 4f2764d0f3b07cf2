#include "mithril/model/completion.hpp"

#include "mithril/base/error.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {
namespace {

bool is_open(const Composite& model) {
  return model.completion && !model.completion->done && !model.owner && !model.orphaned;
}

}  // namespace

Completed::Completed(Composite& model) {
  if (!is_open(model) || !model.completion->is_ready()) return;
  composition_.emplace(model);
  complete(*composition_);
}

void complete(Composition& composition) {
  const Composite& model = composition.here();
  if (!is_open(model)) return;
  model.completion->require();
  model.completion->complete(composition);
  composition.facts().settle();
}

void complete_for_good(Composite& model, Composition& outer) {
  if (!is_open(model)) return;
  Composition composition(model);
  complete(composition);
  save(model.completion->done);
  model.completion->done = true;
  composition.commit_within(outer);
}

void refuse_early(Composite& model, const std::string& key) {
  const Completed completed(model);
  if (!is_open(model) || !find_port(model, key)) return;
  raise({.kind = ErrorKind::name,
         .code = "E0606",
         .path = path(&model),
         .message = "there is no key '" + key + "' yet",
         .help = "it is made when the model is compiled, or becomes a part: bind it then"});
}

void refuse_extension(const Composite& model, const std::string& call) {
  if (!model.completion) return;
  raise({.kind = ErrorKind::connection,
         .code = "E0115",
         .path = path(&model),
         .message = model.class_name() + " does not take " + call,
         .help = "change the model before it is trained, or give it losses, regularisation and "
                 "metrics"});
}

}  // namespace mithril
