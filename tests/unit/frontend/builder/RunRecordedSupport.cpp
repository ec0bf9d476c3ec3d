// A recorded kernel in Interp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/RunRecordedSupport.h"

#include "dialect/Tile/Interp/Interp.h"
#include "frontend/builder/Module.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace pavage;

std::string pavage::testing::interpret(pv_module *m, const std::vector<pv_arg> &args,
                                       const std::vector<pv_dtype> &dtypes, const int64_t (&grid)[3],
                                       std::string &printed, int &kind) {
  auto kernel = m->module->lookupSymbol<mlir::func::FuncOp>(m->kernel);
  tile::InterpOptions options;
  for (int axis = 0; axis < 3; ++axis) {
    options.grid[axis] = static_cast<int32_t>(grid[axis]);
  }
  options.print = [&](llvm::StringRef text) { printed += text.str(); };
  std::vector<tile::Datum> data;
  for (auto [i, arg] : llvm::enumerate(args)) {
    tile::Datum datum;
    datum.type = kernel.getArgument(i).getType();
    datum.bytes.resize(pv_dtype_bytes(dtypes[i]));
    if (const pv_array *array = arg.array) {
      tile::ArrayRecord record;
      record.base = reinterpret_cast<uint64_t>(array->data);
      record.itemSize = pv_dtype_bytes(dtypes[i] & PV_SCALAR_MASK);
      record.shape.append(array->shape, array->shape + array->rank);
      for (size_t axis = 0; axis < array->rank; ++axis) {
        record.strides.push_back(array->strides[axis] * record.itemSize);
      }
      record.name = "argument " + std::to_string(i);
      record.readOnly = array->read_only;
      options.arrays.push_back(record);
      datum.setBits(0, record.base);
    } else {
      datum.setBits(0, arg.bits);
    }
    data.push_back(std::move(datum));
  }
  tile::Interp interp(options);
  if (interp.runGrid(kernel, data)) {
    return "";
  }
  for (const tile::Finding &finding : llvm::reverse(interp.findings())) {
    if (finding.isError) {
      kind = static_cast<int>(finding.kind);
      return finding.text;
    }
  }
  return "no finding";
}
