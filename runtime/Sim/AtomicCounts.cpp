// Counting atomics per op. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/AtomicCounts.h"

#include "runtime/Sim/Checks.h"

#include <algorithm>

namespace pavage::sim {

void findAtomicRules(Launch &launch, const LoadedModule &module) {
  const Program &program = *launch.program;
  std::map<const artifact::Op *, size_t> byOp;
  std::map<u32, size_t> byLine;
  for (u32 pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].cls != Class::Atomic) {
      continue;
    }
    u32 line = program.sources[pc].ptxLine;
    const artifact::Op *op = module.opAt(line);
    size_t rule = launch.atomicRules.size();
    for (auto [wantedLine, count] : launch.options.atomics) {
      if (wantedLine == line) {
        rule = byLine.emplace(line, rule).first->second;
        if (rule == launch.atomicRules.size()) {
          launch.atomicRules.push_back({count, false, "the launch", {}});
        }
        op = nullptr;
        launch.atomicRules[rule].pcs.push_back(pc);
      }
    }
    if (op && op->atomics) {
      rule = byOp.emplace(op, rule).first->second;
      if (rule == launch.atomicRules.size()) {
        launch.atomicRules.push_back({op->atomics, op->isMasked, op->text, {}});
      }
      launch.atomicRules[rule].pcs.push_back(pc);
    }
  }
  for (const AtomicRule &rule : launch.atomicRules) {
    for (u32 pc : rule.pcs) {
      launch.atomicSlots.emplace(pc, static_cast<u32>(launch.atomicSlots.size()));
    }
  }
}

void countAtomic(Warp &w, const DInst &i, u32 exec) {
  Launch &launch = *w.cta->launch;
  auto slot = launch.atomicSlots.find(pcOf(w, i));
  if (slot == launch.atomicSlots.end()) {
    return;
  }
  u32 *runs = w.cta->atomicRuns.data() + slot->second * w.cta->warps.size() * 32 + w.index * 32;
  for (u32 l = 0; l < 32; ++l) {
    runs[l] += (exec >> l) & 1;
  }
}

void checkAtomicCounts(Cta &cta) {
  Launch &launch = *cta.launch;
  if (cta.atomicRuns.empty() || launch.stop) {
    return;
  }
  size_t threads = cta.warps.size() * 32;
  for (const AtomicRule &rule : launch.atomicRules) {
    u64 executions = 0, updates = 0;
    for (u32 pc : rule.pcs) {
      const u32 *runs = cta.atomicRuns.data() + launch.atomicSlots.at(pc) * threads;
      for (size_t t = 0; t < threads; ++t) {
        executions = std::max<u64>(executions, runs[t]);
        updates += runs[t];
      }
    }
    u64 wanted = executions * rule.count;
    if (updates > wanted || (updates < wanted && !rule.isMasked)) {
      report(*cta.warps[0], launch.program->code[rule.pcs[0]], Kind::AtomicCount,
             rule.owner + " asks for " + std::to_string(rule.count) +
                 (rule.isMasked ? " updates at most, " : " updates, ") + std::to_string(updates) + " were executed" +
                 (executions > 1 ? " in " + std::to_string(executions) + " rounds" : std::string()) +
                 (updates > wanted ? ": several threads hold one element, and no guard picks one of them"
                                   : ": a guard leaves elements out"));
    }
  }
}

void reportIdleAtomics(Launch &launch, const std::vector<std::unique_ptr<Worker>> &workers) {
  if (launch.stop) {
    return;
  }
  for (const AtomicRule &rule : launch.atomicRules) {
    u64 issued = 0, lanes = 0;
    for (u32 pc : rule.pcs) {
      for (const auto &worker : workers) {
        issued += worker->issued[pc];
        lanes += worker->counts[pc].lanes;
      }
    }
    if (issued && !lanes && !rule.isMasked) {
      const Source &s = launch.program->sources[rule.pcs[0]];
      Finding f;
      f.kind = Kind::AtomicCount;
      f.pc = rule.pcs[0];
      f.ptxLine = s.ptxLine;
      f.file = s.file;
      f.line = s.line;
      f.column = s.column;
      f.instruction = *s.text;
      f.message = rule.owner + " asks for " + std::to_string(rule.count) +
                  " updates, none was executed: its guard is never true";
      launch.findings.push_back(std::move(f));
    }
  }
}

} // namespace pavage::sim
