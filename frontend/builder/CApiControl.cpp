// The C interface: variables and control flow. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/CApi.h"

using namespace pavage;
using namespace pavage::builder;

extern "C" {

pv_variable *pv_var_declare(pv_builder *b, const char *name, int flags) { return b->declare(text(name), flags); }
void pv_var_release(pv_builder *b, pv_variable *var) { b->release(var); }

int pv_var_assign(pv_builder *b, pv_variable *var, pv_value *value) {
  return call(b, [&](Session &s) { return s.assign(var, value); });
}

int pv_var_read(pv_builder *b, pv_variable *var, pv_value **out) {
  return callForValue(b, out, [&](Session &s) { return s.read(var); });
}

int pv_var_unassign(pv_builder *b, pv_variable *var) {
  return call(b, [&](Session &s) { return s.unassign(var); });
}

int pv_var_is_readable(pv_builder *b, pv_variable *var) { return b->isReadable(var); }

int pv_if_begin(pv_builder *b, pv_value *cond, int *enter) {
  return call(b, [&](Session &s) { return s.ifBegin(cond, enter); });
}

int pv_else(pv_builder *b, int *enter) {
  return call(b, [&](Session &s) { return s.elseBegin(enter); });
}

int pv_if_end(pv_builder *b) {
  return call(b, [](Session &s) { return s.ifEnd(); });
}

int pv_for_begin(pv_builder *b, pv_value *lo, pv_value *hi, pv_value *step, const pv_loop_options *options) {
  return call(b, [&](Session &s) { return s.forBegin(lo, hi, step, options ? *options : pv_loop_options{}); });
}

int pv_for_index(pv_builder *b, pv_value **out) {
  return callForValue(b, out, [](Session &s) { return s.forIndex(); });
}

int pv_while_begin(pv_builder *b) {
  return call(b, [](Session &s) { return s.whileBegin(); });
}

int pv_while_condition(pv_builder *b, pv_value *cond, int *enter) {
  return call(b, [&](Session &s) { return s.whileCondition(cond, enter); });
}

int pv_loop_next(pv_builder *b, int *go) {
  return call(b, [&](Session &s) { return s.loopNext(go); });
}

int pv_loop_end(pv_builder *b) {
  return call(b, [](Session &s) { return s.loopEnd(); });
}

int pv_break(pv_builder *b) {
  return call(b, [](Session &s) { return s.leaveLoop(/*isBreak=*/true); });
}

int pv_continue(pv_builder *b) {
  return call(b, [](Session &s) { return s.leaveLoop(/*isBreak=*/false); });
}

int pv_call_begin(pv_builder *b, const char *callee) {
  return call(b, [&](Session &s) { return s.callBegin(text(callee)); });
}

int pv_return(pv_builder *b, pv_value *value) {
  return call(b, [&](Session &s) { return s.returnValue(value); });
}

int pv_call_end(pv_builder *b, pv_value **out) {
  Ref value;
  int status = call(b, [&](Session &s) { return s.callEnd(value); });
  if (status == 0) {
    give(value, out);
  }
  return status;
}

int pv_is_dead(const pv_builder *b) { return b->isDead(); }

} // extern "C"
