/* The C interface of Mithril, C99: loads packages, and runs them with DLPack tensors.

   Every function of a model returns a status and takes `mithril_error** error`: NULL, or where to
   put an error object, which the caller frees. The others cannot fail: versions, what an error
   says, and what frees. Pointers to const of a model live as long as the model. A model is
   immutable: any number of threads may run it at the same time.

   Versions of this header with the same MITHRIL_API_VERSION are compatible. A program that was
   linked with an older version runs with a newer library, whose symbols have versions. A program
   that finds functions by dlsym compares mithril_api_version() with MITHRIL_API_VERSION first.

     mithril_error* error = NULL;
     mithril_model* model = NULL;
     if (mithril_model_open("minilm", NULL, &model, &error) != MITHRIL_OK) {
       fprintf(stderr, "%s\n", mithril_error_message(error));
       mithril_error_free(error);
     }
*/
#ifndef MITHRIL_H_
#define MITHRIL_H_

#include <stddef.h>
#include <stdint.h>

#define MITHRIL_API_VERSION 2

#if defined(__GNUC__) && defined(MITHRIL_BUILDING)
#define MITHRIL_EXPORT __attribute__((visibility("default")))
#else
#define MITHRIL_EXPORT
#endif

/* The structs of DLPack 1.x, unless <dlpack/dlpack.h> was included before. */
#ifndef DLPACK_MAJOR_VERSION
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;
enum { kDLCPU = 1 };
typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;
enum {
  kDLInt = 0, /* elements of 4 and 2 bits have a byte each */
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat4_e2m1fn = 17
};
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mithril_status {
  MITHRIL_OK = 0,
  MITHRIL_INVALID_ARGUMENT = 1, /* an argument of this interface: NULL, an index out of range */
  MITHRIL_INPUT_ERROR = 2,      /* an input of a run, or a file that cannot be read */
  MITHRIL_PACKAGE_ERROR = 3,    /* a package that is damaged, or of another format version */
  MITHRIL_BACKEND_ERROR = 4,    /* a missing backend, or native code without permission */
  MITHRIL_OUT_OF_MEMORY = 5,
  MITHRIL_OTHER_ERROR = 6
} mithril_status;

typedef struct mithril_error mithril_error;
typedef struct mithril_model mithril_model;

/* The MITHRIL_API_VERSION of the library, and its release: "0.1.0". */
MITHRIL_EXPORT uint32_t mithril_api_version(void);
MITHRIL_EXPORT const char* mithril_version(void);

/* ---- errors; the texts live as long as the error. These functions accept NULL ---- */
MITHRIL_EXPORT mithril_status mithril_error_status(const mithril_error* error);
MITHRIL_EXPORT const char* mithril_error_code(const mithril_error* error); /* "E0804" */
MITHRIL_EXPORT const char* mithril_error_kind(const mithril_error* error); /* "InputError" */
MITHRIL_EXPORT const char* mithril_error_message(const mithril_error* error);
MITHRIL_EXPORT void mithril_error_free(mithril_error* error);
/* The message of the last failed call of this thread; "" if there was none. It lives until the next
   failed call of this thread. */
MITHRIL_EXPORT const char* mithril_last_error(void);

/* ---- models ---- */
typedef struct mithril_open_options {
  size_t size;             /* sizeof(mithril_open_options) */
  const char* backend;     /* "cpu", or "torch" where that is built; NULL: cpu */
  int32_t threads;         /* of one run on the CPU backend; 0: one for each processor */
  int32_t map_parameters;  /* 1: runs read parameters from the mapped file: a faster start; 0: those
                              that kernels read in another order are rearranged for faster runs */
  int32_t allow_native;    /* 1: native code of the package may run: only for trusted authors */
} mithril_open_options;

/* Loads, verifies and compiles the package at the path, a folder or a .zip file. `options` may be
   NULL. The caller frees the model. */
MITHRIL_EXPORT mithril_status mithril_model_open(const char* path,
                                                 const mithril_open_options* options,
                                                 mithril_model** model, mithril_error** error);
MITHRIL_EXPORT void mithril_model_free(mithril_model* model);
MITHRIL_EXPORT mithril_status mithril_model_name(const mithril_model* model, const char** name,
                                                 mithril_error** error);
MITHRIL_EXPORT mithril_status mithril_model_revision(const mithril_model* model,
                                                     const char** revision, mithril_error** error);

/* An input or an output. */
typedef struct mithril_port {
  const char* name;
  DLDataType dtype;
  int32_t ndim;               /* -1: the rank is not known */
  const int64_t* shape;       /* -1: any size */
  const char* const* symbols; /* the names of sizes: "N"; NULL for a number. Equal names are equal
                                 sizes */
} mithril_port;

MITHRIL_EXPORT mithril_status mithril_model_input_count(const mithril_model* model, size_t* count,
                                                        mithril_error** error);
MITHRIL_EXPORT mithril_status mithril_model_output_count(const mithril_model* model, size_t* count,
                                                         mithril_error** error);
MITHRIL_EXPORT mithril_status mithril_model_input(const mithril_model* model, size_t index,
                                                  mithril_port* port, mithril_error** error);
MITHRIL_EXPORT mithril_status mithril_model_output(const mithril_model* model, size_t index,
                                                   mithril_port* port, mithril_error** error);

/* Runs the model with inputs by name, in any order, in the memory of this process. The inputs
   belong to the caller and are only read during the call. `outputs` receives as many tensors as
   mithril_model_output_count says, in the order of mithril_model_output. The caller frees each one:
   tensor->deleter(tensor). After an error `outputs` is unchanged. */
MITHRIL_EXPORT mithril_status mithril_model_run(const mithril_model* model,
                                                const char* const* input_names,
                                                const DLTensor* const* inputs, size_t input_count,
                                                DLManagedTensorVersioned** outputs,
                                                size_t output_count, mithril_error** error);

#ifdef __cplusplus
}
#endif

#endif /* MITHRIL_H_ */
