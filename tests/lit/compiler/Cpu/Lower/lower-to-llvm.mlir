// RUN: pavage-opt %s --split-input-file --pavage-cpu-lower-to-llvm | FileCheck %s

// An early end in a loop becomes a branch to the function's end that returns the number.
// CHECK-LABEL: llvm.func @early
//  CHECK-SAME:   %[[E:[a-z0-9]+]]: i32
func.func @early(%e: i32, %n: i64) -> i32 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  // CHECK-NOT: pavage.exit_if
  //     CHECK: %[[FINE:.+]] = llvm.icmp "eq" %[[E]]
  //     CHECK: llvm.cond_br %[[FINE]], ^{{.+}}, ^[[EXIT:.+]](%[[E]] : i32)
  scf.for %i = %c0 to %n step %c1 : i64 {
    func.call @pavage.exit_if(%e) : (i32) -> ()
  }
  // CHECK: ^[[EXIT]](%[[R:.+]]: i32):
  // CHECK: llvm.return %[[R]]
  return %zero : i32
}
func.func private @pavage.exit_if(i32)
