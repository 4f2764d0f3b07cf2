#include "mithril/compile/build_id.hpp"

#ifdef __linux__
#include <link.h>

#include <cstring>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace mithril {
namespace {

#ifdef __linux__
constexpr size_t round_up(size_t size) { return (size + 3) / 4 * 4; }

std::string id_in_notes(const char* notes, size_t size) {
  ElfW(Nhdr) note;
  for (size_t at = 0; at + sizeof(note) <= size;) {
    std::memcpy(&note, notes + at, sizeof(note));
    const size_t name = at + sizeof(note), id = name + round_up(note.n_namesz);
    if (id + note.n_descsz > size) break;
    const bool gnu = note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0;
    if (gnu && note.n_type == NT_GNU_BUILD_ID) return std::string(notes + id, note.n_descsz);
    at = id + round_up(note.n_descsz);
  }
  return {};
}

bool holds(const dl_phdr_info& loaded, ElfW(Addr) address) {
  for (int i = 0; i < loaded.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = loaded.dlpi_phdr[i];
    const ElfW(Addr) begin = loaded.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address - begin < segment.p_memsz) return true;
  }
  return false;
}

// Finds the build id of the loaded object that contains this function. Reads it from memory,
// because the file may have been replaced.
int look(dl_phdr_info* loaded, size_t, void* found) {
  if (!holds(*loaded, reinterpret_cast<ElfW(Addr)>(&look))) return 0;
  for (int i = 0; i < loaded->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = loaded->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(loaded->dlpi_addr + segment.p_vaddr);
    std::string& id = *static_cast<std::string*>(found);
    if (id.empty()) id = id_in_notes(notes, segment.p_memsz);
  }
  return 1;
}
#endif

std::string linked_id() {
  std::string id;
#ifdef __linux__
  dl_iterate_phdr(look, &id);
#endif
  return id;
}

// Constants are folded with the functions of the C library, which choose by the processor.
std::string arithmetic() {
  std::string text;
#ifdef __GLIBC__
  text += gnu_get_libc_version();
#endif
#ifdef __x86_64__
  text += __builtin_cpu_supports("fma") ? " fma" : "";
  text += __builtin_cpu_supports("avx2") ? " avx2" : "";
#endif
  return text;
}

}  // namespace

const std::string& build_id() {
  static const std::string id = [] {
    const std::string linked = linked_id();
    return linked.empty() ? linked : linked + arithmetic();
  }();
  return id;
}

}  // namespace mithril
