# pavage_add_passes(ROOM): tablegen of the current folder's Passes.td. Makes <ROOM>PassesIncGen and Passes.h.inc.
function(pavage_add_passes room)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${room})
  add_public_tablegen_target(${room}PassesIncGen)
endfunction()
