// Functions of version 1 of the header, for programs that were compiled with it: they had no error
// object. The newer functions have the same names and the symbol version MITHRIL_2.
#include "mithril/c/mithril.h"

extern "C" {

MITHRIL_EXPORT const char* mithril_model_name_1(const mithril_model* model) {
  const char* name = "";
  mithril_model_name(model, &name, nullptr);
  return name;
}

MITHRIL_EXPORT const char* mithril_model_revision_1(const mithril_model* model) {
  const char* revision = "";
  mithril_model_revision(model, &revision, nullptr);
  return revision;
}

MITHRIL_EXPORT size_t mithril_model_input_count_1(const mithril_model* model) {
  size_t count = 0;
  mithril_model_input_count(model, &count, nullptr);
  return count;
}

MITHRIL_EXPORT size_t mithril_model_output_count_1(const mithril_model* model) {
  size_t count = 0;
  mithril_model_output_count(model, &count, nullptr);
  return count;
}

}  // extern "C"

__asm__(".symver mithril_model_name_1, mithril_model_name@MITHRIL_1");
__asm__(".symver mithril_model_revision_1, mithril_model_revision@MITHRIL_1");
__asm__(".symver mithril_model_input_count_1, mithril_model_input_count@MITHRIL_1");
__asm__(".symver mithril_model_output_count_1, mithril_model_output_count@MITHRIL_1");
