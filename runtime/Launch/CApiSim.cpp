// The C interface: the virtual GPU's settings, findings, profiles. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Launch/ErrorObject.h"
#include "runtime/Launch/include/pavage/sim.h"
#include "runtime/Sim/Record.h"
#include "runtime/Sim/Report.h"
#include "runtime/Sim/Settings.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace pavage;
using errors::Error;
using launch::guarded;
using launch::misuse;

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

pvrt_error *pvrt_sim_set(const char *setting, const char *value) {
  return guarded([&] {
    return setting ? sim::changeSetting(setting, value ? value : "") : misuse("expected a setting's name, got none");
  });
}

void pvrt_sim_get(const char *setting, char *value, size_t size) {
  if (!setting || !value || size == 0) {
    return;
  }
  std::string text = sim::changedSetting(setting);
  size_t bytes = std::min(text.size(), size - 1);
  std::memcpy(value, text.data(), bytes);
  value[bytes] = 0;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

static void show(const sim::Record &record, const sim::Finding &finding,
                 void (*visit)(void *context, const pvrt_finding *finding), void *context) {
  Error error = sim::asError(record, finding);
  std::string kind(sim::kindName(finding.kind)), rendered = error.render();
  pvrt_finding shown = {};
  shown.number = error.number();
  shown.is_fault = sim::isFaultKind(finding.kind);
  shown.kind = kind.c_str();
  shown.message = finding.message.c_str();
  shown.file = error.at().file.c_str();
  shown.line = error.at().line;
  shown.column = error.at().column;
  shown.ptx_line = finding.ptxLine;
  shown.op = finding.op.empty() ? finding.instruction.c_str() : finding.op.c_str();
  shown.instruction = finding.instruction.c_str();
  shown.kernel = record.kernel.c_str();
  shown.device = record.device.c_str();
  shown.count = finding.count;
  std::copy_n(finding.cta, 3, shown.cta);
  shown.warp = finding.warp;
  shown.rendered = rendered.c_str();
  visit(context, &shown);
}

size_t pvrt_sim_findings(void (*visit)(void *context, const pvrt_finding *finding), void *context) {
  size_t count = 0;
  for (const auto &record : sim::recordsWithFindings()) {
    for (const sim::Finding &finding : record->result.findings) {
      ++count;
      if (visit) {
        show(*record, finding, visit, context);
      }
    }
  }
  return count;
}

void pvrt_sim_clear_findings(void) { sim::clearFindings(); }

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

struct pvrt_sim_profile {
  sim::Profile profile;
};

pvrt_error *pvrt_sim_profile_begin(pvrt_sim_profile **profile) {
  return guarded([&] {
    if (!profile) {
      return misuse("expected a place for the profile, got none");
    }
    *profile = std::make_unique<pvrt_sim_profile>().release();
    return Error::success();
  });
}

void pvrt_sim_profile_end(pvrt_sim_profile *profile) { profile->profile.close(); }

void pvrt_sim_profile_free(pvrt_sim_profile *profile) { delete profile; }

size_t pvrt_sim_profile_count(const pvrt_sim_profile *profile) { return profile->profile.records().size(); }

const char *pvrt_sim_profile_kernel(const pvrt_sim_profile *profile, size_t index) {
  auto records = profile->profile.records();
  return index < records.size() ? records[index]->kernel.c_str() : nullptr;
}

pvrt_error *pvrt_sim_profile_report(const pvrt_sim_profile *profile, size_t index, pvrt_sim_report report,
                                    pvrt_bytes *text) {
  return guarded([&] {
    auto records = profile ? profile->profile.records() : std::vector<std::shared_ptr<const sim::Record>>();
    if (!text || index >= records.size() || report < PVRT_SIM_TABLE || report > PVRT_SIM_HTML) {
      return misuse("expected a launch of a profile, a kind of report and a place for it, got something else");
    }
    const sim::Record &record = *records[index];
    auto render = report == PVRT_SIM_TABLE  ? sim::renderCounters
                  : report == PVRT_SIM_JSON ? sim::renderJson
                                            : sim::renderHtml;
    auto made = std::make_unique<std::string>(render(*record.module, record.result));
    text->data = made->data();
    text->size = made->size();
    text->release = [](void *owner) { delete static_cast<std::string *>(owner); };
    text->owner = made.release();
    return Error::success();
  });
}
