#include "backends/cpu/elementwise/native/code.hpp"
#include "backends/cpu/elementwise/native/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "mithril/base/cache_files.hpp"
#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

struct Built {
  std::shared_ptr<const NativeLibrary> library;  // null: the build failed
  std::string why;
};

// The results of earlier builds in this process, by source. Plans for other sizes often need the
// same code. A failed build is not tried again.
class BuildResults {
 public:
  Built find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(key);
    if (at == known_.end()) return {};
    return {at->second.library.lock(), at->second.why};
  }
  void keep(const std::string& key, const Built& built) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& entry) {
      return entry.second.why.empty() && entry.second.library.expired();
    });
    known_[key] = {built.library, built.why};
  }

 private:
  struct Known {
    std::weak_ptr<const NativeLibrary> library;
    std::string why;
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
};

BuildResults& build_results() {
  static BuildResults before;
  return before;
}

// A source to compile, its cache key and the mark that identifies its library.
struct NativeSource {
  size_t functions;
  std::string mark;  // a symbol that no other source has
  std::string text, key;
};

NativeSource source_of(const std::vector<std::string>& texts, const Compiler& compiler,
                       const std::vector<std::string>& flags) {
  std::string key = "native code 2\n" + compiler.identity;
  for (const std::string& flag : flags) key += flag + '\n';
  for (const std::string& text : texts) key += text + '\n';
  const std::string mark = "mithril_source_" + fingerprint(key);
  return {texts.size(), mark, native_source(texts, mark), key};
}

// Null if the library was not compiled from this source.
std::shared_ptr<const NativeLibrary> open_whole(const std::string& bytes,
                                                const NativeSource& source, std::string& why) {
  auto library = NativeLibrary::open(bytes, why);
  if (library && !library->find(source.mark)) {
    why = "another library was opened in place of the compiled one";
    return nullptr;
  }
  for (size_t i = 0; library && i < source.functions; ++i) {
    if (library->find(native_name(i))) continue;
    why = "the compiled library has no " + native_name(i);
    return nullptr;
  }
  return library;
}

Built make(const Compiler& compiler, const std::vector<std::string>& flags,
           const NativeSource& source) {
  const CacheFiles files(CacheFiles::usual_folder());
  Built built;
  if (const std::optional<std::string> entry = files.find(source.key)) {
    built.library = open_whole(*entry, source, built.why);
    if (built.library) return built;
  }
  const Compiled compiled = compile_native(compiler, flags, source.text);
  if (compiled.library.empty()) return {nullptr, compiled.why};
  built = {};
  built.library = open_whole(compiled.library, source, built.why);
  if (built.library) files.keep(source.key, compiled.library);
  return built;
}

std::string interpreted(const std::string& why) {
  return "no native code, loops are interpreted: " + why;
}

}  // namespace

void NativeCode::add(const ShapedGraph& shaped, const ElementwiseProgram& program) {
  ++programs_;
  auto native = native_program(shaped, program);
  if (!native) {
    ++unsuitable_;
  } else if (index_of_.emplace(native->text, texts_.size()).second) {
    texts_.push_back(std::move(native->text));
  }
}

void NativeCode::build() {
  if (texts_.empty()) return;
  const auto compiler = find_compiler(why_);
  if (!compiler) return;
  compiler_ = compiler->command.front();
  const std::vector<std::string> flags = native_flags(best_instructions());
  const NativeSource source = source_of(texts_, *compiler, flags);
  Built built = build_results().find(source.key);
  if (!built.library && built.why.empty()) {
    built = make(*compiler, flags, source);
    build_results().keep(source.key, built);
  }
  library_ = std::move(built.library);
  why_ = std::move(built.why);
}

std::unique_ptr<ElementStep> NativeCode::step(const ShapedGraph& shaped,
                                              const ElementwiseProgram& program, int threads,
                                              const BufferRefs& refs) const {
  if (!library_) return nullptr;
  auto native = native_program(shaped, program);
  if (!native) return nullptr;
  const auto at = index_of_.find(native->text);
  MITHRIL_CHECK(at != index_of_.end(), "a program was added after its plan was compiled");
  const auto function = reinterpret_cast<NativeFunction>(library_->find(native_name(at->second)));
  return make_native_step({shaped, program, *native, function, threads}, refs);
}

std::string NativeCode::note() const {
  if (texts_.empty()) return "no native code: there are no loops to compile";
  if (!library_) return interpreted(why_);
  const std::string rest =
      unsuitable_ > 0 ? fmt::format(", {} are interpreted: they need too many blocks", unsuitable_)
                      : "";
  return fmt::format("{} of {} loops run as native code of {}{}", programs_ - unsuitable_,
                     programs_, compiler_, rest);
}

std::string native_note_before_sizes() {
  std::string why;
  const auto compiler = find_compiler(why);
  if (!compiler) return interpreted(why);
  return "loops are compiled by " + compiler->command.front() + " once sizes are known";
}

}  // namespace mithril::cpu_backend
