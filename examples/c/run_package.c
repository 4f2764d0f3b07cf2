/* Runs a package with made-up inputs through the C interface, and prints its outputs.
   cc -std=c99 run_package.c -lmithril_c -o run_package && ./run_package PACKAGE [BATCH LENGTH]
   Sizes with a name are BATCH for the first name and LENGTH for others. */
#include <mithril.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PORTS 8
#define MOST_DIMS 8

static int failed(const char* what, mithril_error* error) {
  fprintf(stderr, "%s failed with %s\n%s\n", what, mithril_error_code(error),
          mithril_error_message(error));
  mithril_error_free(error);
  return 1;
}

/* Element i of every input: integers below 1000, true, or fractions. */
static void fill(DLTensor* tensor, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t number = (int64_t)(i * 37 % 1000);
    if (tensor->dtype.code == kDLBool) ((uint8_t*)tensor->data)[i] = 1;
    if (tensor->dtype.code == kDLInt && tensor->dtype.bits == 64)
      ((int64_t*)tensor->data)[i] = number;
    if (tensor->dtype.code == kDLInt && tensor->dtype.bits == 32)
      ((int32_t*)tensor->data)[i] = (int32_t)number;
    if (tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32)
      ((float*)tensor->data)[i] = (float)number / 1000;
  }
}

int main(int argc, char** argv) {
  mithril_error* error = NULL;
  mithril_model* model = NULL;
  const int64_t batch = argc > 2 ? atoi(argv[2]) : 2, length = argc > 3 ? atoi(argv[3]) : 6;
  if (argc < 2) return fprintf(stderr, "usage: run_package PACKAGE [BATCH LENGTH]\n"), 2;
  if (mithril_model_open(argv[1], NULL, &model, &error) != MITHRIL_OK)
    return failed("mithril_model_open", error);
  const char *name, *revision;
  size_t inputs, outputs;
  if (mithril_model_name(model, &name, &error) != MITHRIL_OK ||
      mithril_model_revision(model, &revision, &error) != MITHRIL_OK ||
      mithril_model_input_count(model, &inputs, &error) != MITHRIL_OK ||
      mithril_model_output_count(model, &outputs, &error) != MITHRIL_OK)
    return failed("listing the model", error);
  printf("%s %s, library %s\n", name, revision, mithril_version());

  const char* names[MOST_PORTS];
  const DLTensor* given[MOST_PORTS];
  DLTensor tensors[MOST_PORTS];
  int64_t shapes[MOST_PORTS][MOST_DIMS];
  DLManagedTensorVersioned* made[MOST_PORTS];
  const char* first_symbol = NULL;
  if (inputs > MOST_PORTS || outputs > MOST_PORTS) return 2;
  for (size_t i = 0; i < inputs; ++i) {
    mithril_port port;
    size_t count = 1;
    if (mithril_model_input(model, i, &port, &error) != MITHRIL_OK)
      return failed("mithril_model_input", error);
    if (port.ndim < 0 || port.ndim > MOST_DIMS) return 2;
    for (int32_t axis = 0; axis < port.ndim; ++axis) {
      const char* symbol = port.symbols[axis];
      if (symbol && !first_symbol) first_symbol = symbol;
      const int is_batch = symbol && strcmp(symbol, first_symbol) == 0;
      shapes[i][axis] = !symbol ? port.shape[axis] : is_batch ? batch : length;
      count *= (size_t)shapes[i][axis];
    }
    memset(&tensors[i], 0, sizeof(DLTensor));
    tensors[i].device.device_type = kDLCPU;
    tensors[i].ndim = port.ndim;
    tensors[i].dtype = port.dtype;
    tensors[i].shape = shapes[i];
    tensors[i].data = calloc(count + 1, port.dtype.bits / 8);
    if (!tensors[i].data) return 2;
    /* The kinds of BERT's tokens have two values only. */
    if (strcmp(port.name, "token_type_ids") != 0) fill(&tensors[i], count);
    names[i] = port.name;
    given[i] = &tensors[i];
  }

  if (mithril_model_run(model, names, given, inputs, made, outputs, &error) != MITHRIL_OK)
    return failed("mithril_model_run", error);
  for (size_t i = 0; i < outputs; ++i) {
    mithril_port port;
    const DLTensor* tensor = &made[i]->dl_tensor;
    size_t count = 1;
    if (mithril_model_output(model, i, &port, &error) != MITHRIL_OK)
      return failed("mithril_model_output", error);
    printf("%s [", port.name);
    for (int32_t axis = 0; axis < tensor->ndim; ++axis) {
      printf("%s%lld", axis ? ", " : "", (long long)tensor->shape[axis]);
      count *= (size_t)tensor->shape[axis];
    }
    printf("]");
    if (tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32) {
      const float* elements = (const float*)tensor->data;
      for (size_t k = 0; k < count; k += count / 4 + 1) printf(" %.7g", elements[k]);
    }
    printf("\n");
    made[i]->deleter(made[i]);
  }
  for (size_t i = 0; i < inputs; ++i) free(tensors[i].data);
  mithril_model_free(model);
  return 0;
}
