# pavage_add_dialect(NAME namespace): tablegen of <NAME>{Dialect,Types,Attrs,Ops groups}.td lying in the current folder.
#
# Makes the target <NAME>IncGen and the files <NAME>{Dialect,Types,Attrs,Enums,Ops}.{h,cpp}.inc in the build tree, under
# the same path as the sources.
function(pavage_add_dialect name namespace)
  set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${namespace})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${namespace})
  mlir_tablegen(${name}Types.h.inc -gen-typedef-decls -typedefs-dialect=${namespace})
  mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${namespace})
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs)
  mlir_tablegen(${name}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(${name}IncGen)
endfunction()
