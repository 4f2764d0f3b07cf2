/* Loads the installed library, prints its version, and opens a package that does not exist. */
#include <mithril.h>
#include <stdio.h>

int main(void) {
  mithril_error* error = NULL;
  mithril_model* model = NULL;
  printf("%s\n", mithril_version());
  if (mithril_model_open("/nowhere", NULL, &model, &error) == MITHRIL_OK) return 1;
  printf("%s\n", mithril_error_code(error));
  mithril_error_free(error);
  return model != NULL || mithril_api_version() != MITHRIL_API_VERSION;
}
