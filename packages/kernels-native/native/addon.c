// The addon as Node sees it. Arguments come through an array of doubles that both sides hold: a call itself has none,
// which makes it ten times as fast. Every thread that loads the addon has its own state.
#include <node_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "call.h"
#include "cpu.h"

typedef struct {
  char *memory;
  uint64_t bytes;
  napi_ref held;
  double *arguments;
  Scratch scratch;
  const Kernels *kernels;
} State;

/** The place in the array after the arguments, where a call leaves its outcome. */
enum { OUTCOME = MOST_ARGUMENTS };

static State *state_of(napi_env env) {
  void *state = 0;
  napi_get_instance_data(env, &state);
  return state;
}

static napi_value call(napi_env env, napi_callback_info info) {
  void *entry = 0;
  napi_get_cb_info(env, info, 0, 0, 0, &entry);
  State *s = state_of(env);
  s->arguments[OUTCOME] = run_entry(entry, s->memory, s->bytes, s->arguments, s->kernels, &s->scratch);
  return 0;
}

/** attach(bytes): kernels work on this memory from now on. A typed array, because it may be shared. */
static napi_value attach(napi_env env, napi_callback_info info) {
  State *s = state_of(env);
  napi_value array = 0;
  size_t count = 1, length = 0;
  napi_typedarray_type type = napi_float64_array;
  void *data = 0;
  bool is_typed = false;
  napi_get_cb_info(env, info, &count, &array, 0, 0);
  if (count > 0) napi_is_typedarray(env, array, &is_typed);
  if (is_typed) napi_get_typedarray_info(env, array, &type, &length, &data, 0, 0);
  if (type != napi_uint8_array) {
    napi_throw_type_error(env, "NOT_BYTES", "attach() expects a Uint8Array of the memory.");
    return 0;
  }
  if (s->held) napi_delete_reference(env, s->held);
  napi_create_reference(env, array, 1, &s->held);
  s->memory = data;
  s->bytes = length;
  return 0;
}

/** use(name): no better instruction set than this one; gives the one that is used. */
static napi_value use(napi_env env, napi_callback_info info) {
  State *s = state_of(env);
  napi_value name = 0, result = 0;
  size_t count = 1, length = 0;
  char text[16] = "";
  napi_get_cb_info(env, info, &count, &name, 0, 0);
  if (count > 0) napi_get_value_string_utf8(env, name, text, sizeof text, &length);
  s->kernels = kernels_for(text);
  napi_create_string_utf8(env, s->kernels->name, NAPI_AUTO_LENGTH, &result);
  return result;
}

static void end(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  scratch_free(&((State *)data)->scratch);
  free(data);
}

static void set_text(napi_env env, napi_value object, const char *key, const char *text) {
  napi_value value;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  napi_set_named_property(env, object, key, value);
}

static void set_function(napi_env env, napi_value object, const char *key, napi_callback function, const void *data) {
  napi_value value;
  napi_create_function(env, key, NAPI_AUTO_LENGTH, function, (void *)data, &value);
  napi_set_named_property(env, object, key, value);
}

/** Exports nothing where the processor has none of the instruction sets. */
NAPI_MODULE_INIT() {
  const Kernels *kernels = kernels_for("");
  if (!kernels) return exports;
  State *s = calloc(1, sizeof *s);
  if (!s) return exports;
  s->kernels = kernels;
  napi_set_instance_data(env, s, end, 0);
  napi_value buffer, array, functions, names;
  void *data = 0;
  napi_create_arraybuffer(env, sizeof(double) * (MOST_ARGUMENTS + 1), &data, &buffer);
  napi_create_typedarray(env, napi_float64_array, MOST_ARGUMENTS + 1, buffer, 0, &array);
  // The exports of an addon are held for as long as the state: the array is not freed before it.
  s->arguments = data;
  napi_set_named_property(env, exports, "arguments", array);
  napi_ref forever;
  napi_create_reference(env, buffer, 1, &forever);
  napi_create_object(env, &functions);
  napi_create_object(env, &names);
  for (int i = 0; i < entry_count; i++) {
    set_function(env, functions, entries[i].name, call, &entries[i]);
    set_text(env, names, entries[i].name, entries[i].arguments);
  }
  napi_set_named_property(env, exports, "functions", functions);
  napi_set_named_property(env, exports, "names", names);
  set_function(env, exports, "attach", attach, 0);
  set_function(env, exports, "use", use, 0);
  set_text(env, exports, "instructions", kernels->name);
  return exports;
}
