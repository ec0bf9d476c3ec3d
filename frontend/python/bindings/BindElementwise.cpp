// Elementwise operations, hints and debugging. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/python/bindings/Bindings.h"

namespace pavage::python {

void bindElementwise(BuilderClass &cls) {
  using H = py::handle;
  cls.def("unary", [](Builder &b, int op, H x) { return b.unary(static_cast<pv_unary_op>(op), operand(x, &b)); })
      .def("binary", [](Builder &b, int op, H x,
                        H y) { return b.binary(static_cast<pv_binary_op>(op), operand(x, &b), operand(y, &b)); })
      .def("where", [](Builder &b, H c, H x, H y) { return b.where(operand(c, &b), operand(x, &b), operand(y, &b)); })
      .def("fma", [](Builder &b, H x, H y, H z) { return b.fma(operand(x, &b), operand(y, &b), operand(z, &b)); })
      .def("clamp", [](Builder &b, H x, H lo, H hi,
                       bool nan) { return b.clamp(operand(x, &b), operand(lo, &b), operand(hi, &b), nan); })
      .def("softmax", [](Builder &b, H x, std::optional<int64_t> dim, bool keep,
                         bool ieee) { return b.softmax(operand(x, &b), dim, keep, ieee); })
      .def("cast",
           [](Builder &b, H x, uint32_t type, std::optional<std::string> rounding) {
             return b.cast(operand(x, &b), DType(type), rounding ? rounding->c_str() : nullptr);
           })
      .def("bitcast", [](Builder &b, H x, uint32_t type) { return b.bitcast(operand(x, &b), DType(type)); })
      .def("to_tensor", [](Builder &b, H x) { return b.toTensor(operand(x, &b)); })
      .def("to_bool", [](Builder &b, H x) { return b.toBool(operand(x, &b)); })
      .def("promote", [](Builder &b, int op, H x, H y) {
        return b.promote(static_cast<pv_binary_op>(op), operand(x, &b), operand(y, &b)).code;
      });

  cls.def("hint_values", [](Builder &b, int hint, H x,
                            std::vector<int64_t> v) { return b.hint(static_cast<pv_hint>(hint), operand(x, &b), v); })
      .def("assume", [](Builder &b, H c) { b.assume(operand(c, &b)); })
      .def("device_assert", [](Builder &b, H c, const std::string &text,
                               H mask) { b.deviceAssert(operand(c, &b), text, operand(mask, &b)); })
      .def("device_print", [](Builder &b, const std::string &prefix, H list,
                              bool hex) { b.devicePrint(prefix, values(list, &b), hex); })
      .def("debug_barrier", &Builder::debugBarrier)
      .def("inline_asm", [](Builder &b, const std::string &text, const std::string &constraints, H args,
                            const std::vector<uint32_t> &types, bool pure, int pack) {
        std::vector<DType> d;
        for (uint32_t t : types) {
          d.push_back(DType(t));
        }
        return b.inlineAsm(text, constraints, values(args, &b), d, pure, pack);
      });

  cls.def("philox",
          [](Builder &b, H seed, H c0, H c1, H c2, H c3, int rounds) {
            const Operand c[4] = {operand(c0, &b), operand(c1, &b), operand(c2, &b), operand(c3, &b)};
            return b.philox(operand(seed, &b), c, rounds);
          })
      .def("philox_impl",
           [](Builder &b, H c0, H c1, H c2, H c3, H k0, H k1, int rounds) {
             const Operand c[4] = {operand(c0, &b), operand(c1, &b), operand(c2, &b), operand(c3, &b)};
             const Operand k[2] = {operand(k0, &b), operand(k1, &b)};
             return b.philoxImpl(c, k, rounds);
           })
      .def("random",
           [](Builder &b, int kind, H seed, H offset, int rounds) {
             return b.random(static_cast<pv_random_kind>(kind), operand(seed, &b), operand(offset, &b), rounds);
           })
      .def("random4",
           [](Builder &b, int kind, H seed, H offset, int rounds) {
             return b.random4(static_cast<pv_random_kind>(kind), operand(seed, &b), operand(offset, &b), rounds);
           })
      .def("uint_to_uniform_float", [](Builder &b, H x) { return b.uintToUniformFloat(operand(x, &b)); })
      .def("pair_uniform_to_normal",
           [](Builder &b, H u, H v) { return b.pairUniformToNormal(operand(u, &b), operand(v, &b)); });
}

} // namespace pavage::python
