/* Growing buffers of one call: key, slots, arrays. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "frontend/python/launch/launch.h"

#include <string.h>

void call_init(Call *call) {
  call->key = call->inline_key;
  call->key_size = 0;
  call->key_room = INLINE_KEY;
  call->slots = call->inline_slots;
  call->slot_count = 0;
  call->slot_room = INLINE_SLOTS;
  call->arrays = call->inline_arrays;
  call->array_count = 0;
  call->array_room = INLINE_SLOTS;
  call->keep = NULL;
  call->buffers = NULL;
  call->buffer_count = 0;
  call->extents = NULL;
  call->param = "";
}

void call_clear(Call *call) {
  if (call->key != call->inline_key) {
    PyMem_Free(call->key);
  }
  if (call->slots != call->inline_slots) {
    PyMem_Free(call->slots);
  }
  if (call->arrays != call->inline_arrays) {
    PyMem_Free(call->arrays);
  }
  for (int i = 0; i < call->buffer_count; ++i) {
    PyBuffer_Release(&call->buffers[i]);
  }
  PyMem_Free(call->buffers);
  while (call->extents) {
    Extents *next = call->extents->next;
    PyMem_Free(call->extents);
    call->extents = next;
  }
  Py_CLEAR(call->keep);
}

/* Doubles a buffer that may still be the inline one. */
static void *grow(void *data, const void *inline_data, size_t item, size_t used, size_t room) {
  void *larger = data == inline_data ? PyMem_Malloc(room * item) : PyMem_Realloc(data, room * item);
  if (!larger) {
    PyErr_NoMemory();
    return NULL;
  }
  if (data == inline_data) {
    memcpy(larger, data, used * item);
  }
  return larger;
}

bool key_bytes(Call *call, const void *data, size_t size) {
  if (call->key_size + size > call->key_room) {
    size_t room = (call->key_size + size) * 2;
    void *larger = grow(call->key, call->inline_key, 1, call->key_size, room);
    if (!larger) {
      return false;
    }
    call->key = larger;
    call->key_room = room;
  }
  memcpy(call->key + call->key_size, data, size);
  call->key_size += size;
  return true;
}

bool key_byte(Call *call, unsigned char byte) {
  if (call->key_size < call->key_room) {
    call->key[call->key_size++] = byte;
    return true;
  }
  return key_bytes(call, &byte, 1);
}

bool add_slot(Call *call, uint64_t bits) {
  if (call->slot_count == call->slot_room) {
    void *larger = grow(call->slots, call->inline_slots, sizeof(uint64_t), call->slot_count, call->slot_room * 2);
    if (!larger) {
      return false;
    }
    call->slots = larger;
    call->slot_room *= 2;
  }
  call->slots[call->slot_count++] = bits;
  return true;
}

bool key_memory(Call *call) {
  size_t at = call->key_size;
  unsigned char numbers[INLINE_SLOTS];
  uint32_t known = call->array_count < INLINE_SLOTS ? call->array_count : INLINE_SLOTS;
  pvrt_number_memory(call->arrays, known, numbers);
  for (uint32_t i = 0; i < call->slot_count; ++i) {
    if (!key_byte(call, 0)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < known; ++i) {
    call->key[at + call->arrays[i].slot] = numbers[i];
  }
  return true;
}

pvrt_array *add_array(Call *call) {
  if (call->array_count == call->array_room) {
    void *larger = grow(call->arrays, call->inline_arrays, sizeof(pvrt_array), call->array_count, call->array_room * 2);
    if (!larger) {
      return NULL;
    }
    call->arrays = larger;
    call->array_room *= 2;
  }
  pvrt_array *array = &call->arrays[call->array_count++];
  memset(array, 0, sizeof(*array));
  array->slot = call->slot_count;
  return array;
}

int64_t *add_extents(Call *call, int ndim) {
  Extents *e = PyMem_Malloc(sizeof(Extents) + sizeof(int64_t) * 2 * (size_t)(ndim > 0 ? ndim : 1));
  if (!e) {
    PyErr_NoMemory();
    return NULL;
  }
  e->next = call->extents;
  call->extents = e;
  return e->values;
}

bool call_keep(Call *call, PyObject *object) {
  if (!call->keep && !(call->keep = PyList_New(0))) {
    return false;
  }
  return PyList_Append(call->keep, object) == 0;
}
