// pvrt_error objects: the struct and its strings in one block. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Launch/ErrorObject.h"

#include <cstdlib>
#include <cstring>

namespace pavage::launch {

using errors::Code;
using errors::Error;

pvrt_error *outOfMemoryObject() {
  static pvrt_error object = {
      static_cast<uint32_t>(Code::OutOfMemory), 0, 0, "out of memory", "", "error PV0318: out of memory"};
  return &object;
}

static pvrt_error *makeObject(const Error &error, const std::string &rendered) {
  const std::string *texts[] = {&error.text(), &error.at().file, &rendered};
  size_t size = sizeof(pvrt_error);
  for (const std::string *text : texts) {
    size += text->size() + 1;
  }
  char *block = static_cast<char *>(std::malloc(size));
  if (block == nullptr) {
    return outOfMemoryObject();
  }
  const char *copies[3];
  char *next = block + sizeof(pvrt_error);
  for (int i = 0; i < 3; ++i) {
    copies[i] = next;
    std::memcpy(next, texts[i]->c_str(), texts[i]->size() + 1);
    next += texts[i]->size() + 1;
  }
  return new (block) pvrt_error{error.number(), error.at().line, error.at().column, copies[0], copies[1], copies[2]};
}

pvrt_error *toC(const Error &error) { return error ? makeObject(error, error.render()) : nullptr; }

Error fromC(pvrt_error *object) {
  if (object == nullptr) {
    return Error::success();
  }
  // The rendered form may hold a source line that this side cannot read again: keep that line.
  Error error(object->number, object->text, {object->file, object->line, object->column});
  std::string_view rendered = object->rendered;
  size_t first = rendered.find("\n    ");
  if (object->line != 0 && first != std::string_view::npos) {
    std::string_view line = rendered.substr(first + 5);
    error = std::move(error).withSourceLine(std::string(line.substr(0, line.find('\n'))));
  }
  pvrt_error_free(object);
  return error;
}

} // namespace pavage::launch

using namespace pavage;

void pvrt_error_free(pvrt_error *error) {
  if (error != launch::outOfMemoryObject()) {
    std::free(error);
  }
}

pvrt_error *pvrt_error_new(uint32_t number, const char *text, const char *file, uint32_t line, uint32_t column,
                           const char *source_line) {
  return launch::guarded([&] {
    errors::Error error(number != 0 ? number : static_cast<unsigned>(errors::Code::Internal), text ? text : "",
                        {file ? file : "", line, column});
    return source_line ? std::move(error).withSourceLine(source_line) : error;
  });
}

size_t pvrt_catalogue_size(void) { return errors::all().size(); }

static pvrt_catalogue_entry toC(const errors::Entry *entry) {
  return {entry->number, entry->name, entry->summary, entry->explanation};
}

pvrt_catalogue_entry pvrt_catalogue_at(size_t index) {
  return index < errors::all().size() ? toC(errors::all()[index]) : pvrt_catalogue_entry{0, "", "", ""};
}

int pvrt_catalogue_find(const char *number, pvrt_catalogue_entry *entry) {
  auto parsed = number ? errors::parseNumber(number) : std::nullopt;
  const errors::Entry *found = parsed ? errors::find(*parsed) : nullptr;
  if (found && entry) {
    *entry = toC(found);
  }
  return found != nullptr;
}
