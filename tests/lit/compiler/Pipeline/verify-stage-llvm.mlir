// RUN: pavage-opt %s --split-input-file --pavage-verify-stage=stage=llvm --verify-diagnostics

// Nothing but the LLVM dialect.
llvm.func @good(%a: i32) -> i32 {
  llvm.return %a : i32
}

// -----

llvm.func @mixed(%a: i32) -> i32 {
  // expected-error @below {{is not an op of the stage 'llvm'}}
  %b = arith.addi %a, %a : i32
  llvm.return %b : i32
}
