// Variables and control flow of the builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

void bindFlow(BuilderClass &cls) {
  py::class_<Variable>(cls, "Variable");
  cls.def("declare", [](Builder &b, const std::string &name,
                        bool constant) { return b.declare(name, constant ? PV_VAR_CONSTEXPR : PV_VAR_PLAIN); })
      .def("drop", &Builder::drop)
      .def("assign", [](Builder &b, Variable v, py::handle x) { b.assign(v, encode(x, &b)); })
      .def("read_variable", [](Builder &b, Variable v, py::handle wrap) { return decode(b.read(v), wrap); })
      .def("unassign", &Builder::unassign)
      .def("is_readable", &Builder::isReadable);

  cls.def("if_begin", [](Builder &b, py::handle cond) { return b.ifBegin(operand(cond, &b)); })
      .def("else_begin", &Builder::elseBegin)
      .def("if_end", &Builder::ifEnd)
      .def("for_begin",
           [](Builder &b, py::handle lo, py::handle hi, py::handle step, py::dict options) {
             pv_loop_options o{};
             for (auto [key, value] : options) {
               auto name = key.cast<std::string>();
               int x = value.cast<int>();
               if (name == "num_stages") {
                 o.num_stages = x;
               } else if (name == "loop_unroll_factor") {
                 o.loop_unroll_factor = x;
               } else if (name == "disallow_acc_multi_buffer") {
                 o.disallow_acc_multi_buffer = x;
               } else if (name == "flatten") {
                 o.flatten = x;
               } else if (name == "warp_specialize") {
                 o.warp_specialize = x;
               } else if (name == "disable_licm") {
                 o.disable_licm = x;
               }
             }
             b.forBegin(operand(lo, &b), operand(hi, &b), operand(step, &b), &o);
           })
      .def("while_begin", &Builder::whileBegin)
      .def("while_condition", [](Builder &b, py::handle cond) { return b.whileCondition(operand(cond, &b)); })
      .def("loop_next", &Builder::loopNext)
      .def("for_index", &Builder::forIndex)
      .def("loop_end", &Builder::loopEnd)
      .def("break_", &Builder::break_)
      .def("continue_", &Builder::continue_)
      .def("return_",
           [](Builder &b, py::handle value, bool none) { b.return_(none ? Operand() : Operand(encode(value, &b))); })
      .def("call_begin", &Builder::callBegin)
      .def("call_end", [](Builder &b, py::handle wrap) { return decode(b.callEnd(), wrap); })
      .def("is_dead", &Builder::isDead);
}

} // namespace pavage::python
