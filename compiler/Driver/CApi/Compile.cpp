// <pavage/compile.h>: modules, artifacts, Interp. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/Compile.h"

#include "compiler/Driver/CApi/BuildId.h"
#include "compiler/Driver/Interpret.h"
#include "frontend/builder/Module.h"
#include "frontend/builder/ThreadError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "runtime/Artifact/Artifact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pavage/compile.h>

using namespace pavage;

struct pv_artifact {
  artifact::Artifact artifact;
  std::string bytes;
};

namespace {

int fail(errors::Error error) { return builder::failOnThread(std::move(error)); }

int misuse(const char *text) { return fail({errors::Code::ApiMisuse, text}); }

/// The end of a call that went well: pv_error then tells that there is no error.
int done() {
  builder::succeedOnThread();
  return 0;
}

/// A kernel's arguments as pv_kernel_param, made at the first question.
struct ModuleFacts {
  std::vector<artifact::Param> params;
};

ModuleFacts &factsOf(pv_module *m) {
  if (!m->facts) {
    auto facts = std::make_shared<ModuleFacts>();
    if (errors::Result<mlir::func::FuncOp> kernel = driver::findKernel(*m->module)) {
      facts->params = driver::kernelParams(*kernel);
    }
    m->facts = facts;
  }
  return *static_cast<ModuleFacts *>(m->facts.get());
}

pv_dtype dtypeOf(artifact::Dtype dtype) {
  using artifact::Dtype;
  switch (dtype) {
  case Dtype::None:
  case Dtype::Pointer:
    return PV_NONE;
  case Dtype::I1:
    return PV_INT1;
  case Dtype::I8:
    return PV_INT8;
  case Dtype::I16:
    return PV_INT16;
  case Dtype::I32:
    return PV_INT32;
  case Dtype::I64:
    return PV_INT64;
  case Dtype::U8:
    return PV_UINT8;
  case Dtype::U16:
    return PV_UINT16;
  case Dtype::U32:
    return PV_UINT32;
  case Dtype::U64:
    return PV_UINT64;
  case Dtype::F8E4M3:
    return PV_FLOAT8E4NV;
  case Dtype::F8E5M2:
    return PV_FLOAT8E5;
  case Dtype::F16:
    return PV_FLOAT16;
  case Dtype::BF16:
    return PV_BFLOAT16;
  case Dtype::F32:
    return PV_FLOAT32;
  case Dtype::F64:
    return PV_FLOAT64;
  }
  return PV_NONE;
}

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value && std::strcmp(value, "0") != 0;
}

errors::Result<pipeline::Target> parseTarget(const char *name) {
  llvm::StringRef text = name && *name ? name : "cpu";
  if (std::optional<pipeline::Target> target = pipeline::parseTarget(text)) {
    return *target;
  }
  return errors::Error(errors::Code::UnknownTarget,
                       "unknown target '" + text.str() + "': expected cpu, interp, " + target::gpuTargetList());
}

errors::Result<pipeline::Stage> parseStage(llvm::StringRef name, pipeline::Target target, const char *targetName) {
  std::optional<pipeline::Stage> stage = pipeline::parseStage(name);
  if (stage && llvm::is_contained(pipeline::stagesOf(target), *stage)) {
    return *stage;
  }
  return errors::Error(errors::Code::UnknownStage, "unknown stage '" + name.str() + "' of target " +
                                                       (targetName && *targetName ? targetName : "cpu") +
                                                       ": expected one of " + pipeline::stageList(target));
}

errors::Result<driver::CompileOptions> readOptions(const pv_compile_options &in) {
  driver::CompileOptions out;
  errors::Result<pipeline::Target> target = parseTarget(in.target);
  if (!target) {
    return target.takeError();
  }
  out.target = *target;
  out.gpu = target::findGpuTarget(in.target ? in.target : "");
  out.cpuLevel = in.cpu_level ? in.cpu_level : "";
  llvm::SmallVector<llvm::StringRef> stages;
  llvm::StringRef(in.emit ? in.emit : "").split(stages, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : stages) {
    errors::Result<pipeline::Stage> stage = parseStage(name.trim(), out.target, in.target);
    if (!stage) {
      return stage.takeError();
    }
    out.emit.push_back(*stage);
  }
  if (in.stop_after && *in.stop_after) {
    errors::Result<pipeline::Stage> stage = parseStage(in.stop_after, out.target, in.target);
    if (!stage) {
      return stage.takeError();
    }
    out.stopAfter = *stage;
  }
  out.dumpFolder = in.dump_dir ? in.dump_dir : "";
  out.check = in.check != 0;
  out.fpFusion = in.no_fp_fusion == 0;
  out.verifyEach = in.verify_each != 0;
  if (in.remark) {
    out.remark = [handler = in.remark, context = in.remark_context](const driver::Remark &remark) {
      static constexpr pv_remark_kind kinds[] = {PV_REMARK_PASSED, PV_REMARK_MISSED, PV_REMARK_ANALYSIS};
      pv_remark r{};
      r.kind = kinds[static_cast<int>(remark.kind)];
      r.pass = remark.pass.c_str();
      r.text = remark.text.c_str();
      r.file = remark.at.file.empty() ? nullptr : remark.at.file.c_str();
      r.line = static_cast<int>(remark.at.line);
      r.column = static_cast<int>(remark.at.column);
      handler(context, &r);
    };
  }
  return out;
}

int parse(llvm::StringRef text, llvm::StringRef file, pv_module **out) {
  auto module = std::make_unique<pv_module>();
  module->owned = std::make_unique<builder::OwnedContext>();
  errors::Result<mlir::OwningOpRef<mlir::ModuleOp>> parsed = driver::parseModule(*module->owned->context, text, file);
  if (!parsed) {
    return fail(parsed.takeError());
  }
  module->module = std::move(*parsed);
  module->kernel = (*driver::findKernel(*module->module)).getName().str();
  *out = module.release();
  return done();
}

} // namespace

extern "C" {

// --- Modules ---------------------------------------------------------------------------------------------------------

int pv_module_parse(const char *data, size_t size, const char *file, pv_module **out) {
  if (!data || !out) {
    return misuse("pv_module_parse: expected data and out");
  }
  return parse({data, size}, file ? file : "<text>", out);
}

int pv_module_from_artifact(const void *data, size_t size, pv_module **out) {
  if (!data || !out) {
    return misuse("pv_module_from_artifact: expected data and out");
  }
  errors::Result<artifact::Artifact> artifact = artifact::deserialize({static_cast<const char *>(data), size});
  if (!artifact) {
    return fail(artifact.takeError());
  }
  const std::string *text = artifact->section("tile");
  if (!text) {
    return fail({errors::Code::NoTileSection, "the artifact of '" + artifact->kernel + "' has no section 'tile'"});
  }
  return parse(*text, artifact->sourceFile.empty() ? "<artifact>" : artifact->sourceFile, out);
}

int pv_module_verify(const pv_module *m) {
  if (!m) {
    return misuse("pv_module_verify: expected a module");
  }
  errors::Error error = driver::verifyModule(*m->module);
  return error ? fail(std::move(error)) : done();
}

size_t pv_module_num_params(pv_module *m) {
  if (!m) {
    return 0;
  }
  std::lock_guard lock(m->mutex);
  return factsOf(m).params.size();
}

int pv_module_param(pv_module *m, size_t index, pv_kernel_param *out) {
  if (!m || !out) {
    return 0;
  }
  std::lock_guard lock(m->mutex);
  const std::vector<artifact::Param> &params = factsOf(m).params;
  if (index >= params.size()) {
    return 0;
  }
  const artifact::Param &param = params[index];
  out->name = param.name.c_str();
  out->dtype = dtypeOf(param.dtype) | (param.isPointer ? PV_POINTER : 0);
  out->divisibility = static_cast<int64_t>(param.divisibility);
  out->is_read = param.isRead;
  out->is_written = param.isWritten;
  return 1;
}

// --- Compiling -------------------------------------------------------------------------------------------------------

void pv_compile_options_init(pv_compile_options *options) {
  if (!options) {
    return;
  }
  *options = {};
  options->struct_size = sizeof(*options);
  const char *dump = std::getenv("PAVAGE_DUMP");
  options->dump_dir = dump && *dump ? dump : nullptr;
  options->check = isSet("PAVAGE_CHECK");
  const char *fusion = std::getenv("PAVAGE_FP_FUSION");
  options->no_fp_fusion = fusion && std::strcmp(fusion, "0") == 0;
}

const char *pv_stage_name(const char *target, size_t index) {
  errors::Result<pipeline::Target> known = parseTarget(target);
  if (!known) {
    return nullptr;
  }
  llvm::ArrayRef<pipeline::Stage> stages = pipeline::stagesOf(*known);
  return index < stages.size() ? pipeline::name(stages[index]).data() : nullptr;
}

int pv_compile(const pv_module *m, const pv_compile_options *options, pv_artifact **out) {
  if (!m || !out) {
    return misuse("pv_compile: expected a module and out");
  }
  pv_compile_options defaults{};
  defaults.struct_size = sizeof(defaults);
  if (options && options->struct_size != sizeof(*options)) {
    return misuse("pv_compile: options of another version");
  }
  errors::Result<driver::CompileOptions> read = readOptions(options ? *options : defaults);
  if (!read) {
    return fail(read.takeError());
  }
  std::lock_guard lock(const_cast<pv_module *>(m)->mutex);
  errors::Result<artifact::Artifact> artifact = driver::compileModule(*const_cast<pv_module *>(m)->module, *read);
  if (!artifact) {
    return fail(artifact.takeError());
  }
  auto result = std::make_unique<pv_artifact>();
  result->artifact = std::move(*artifact);
  result->bytes = artifact::serialize(result->artifact);
  *out = result.release();
  return done();
}

void pv_artifact_destroy(pv_artifact *a) { delete a; }

void pv_artifact_bytes(const pv_artifact *a, const void **data, size_t *size) {
  *data = a ? a->bytes.data() : nullptr;
  *size = a ? a->bytes.size() : 0;
}

int pv_artifact_section(const pv_artifact *a, const char *name, const void **data, size_t *size) {
  const std::string *section = a && name ? a->artifact.section(name) : nullptr;
  if (!section) {
    return 0;
  }
  *data = section->data();
  *size = section->size();
  return 1;
}

const char *pv_artifact_section_name(const pv_artifact *a, size_t index) {
  return a && index < a->artifact.sections.size() ? a->artifact.sections[index].first.c_str() : nullptr;
}

const char *pv_compiler_version(void) {
  static const std::string version = std::string(PAVAGE_VERSION "+") + driver::buildId();
  return version.c_str();
}

// --- Interp ----------------------------------------------------------------------------------------------------------

static_assert(sizeof(pv_launch_array) == sizeof(PavageArray) && offsetof(pv_launch_array, slot) == 32 &&
              offsetof(PavageArray, slot) == 32);

int pv_interpret(pv_module *m, const pv_interpret_args *args) {
  if (!m || !args || args->struct_size != sizeof(*args)) {
    return misuse("pv_interpret: expected a module and arguments of this version");
  }
  driver::InterpretOptions options;
  options.grid = {args->grid[0], args->grid[1], args->grid[2]};
  options.slots = {args->slots, args->num_slots};
  options.arrays = {reinterpret_cast<const PavageArray *>(args->arrays), args->num_arrays};
  options.cancel = args->cancel;
  options.maxOps = args->max_ops;
  if (args->print) {
    options.print = [args](llvm::StringRef text) { args->print(args->print_context, text.str().c_str()); };
  }
  if (args->finding) {
    options.note = [args](const std::string &text, const errors::Position &at) {
      args->finding(args->finding_context, text.c_str(), at.file.empty() ? nullptr : at.file.c_str(),
                    static_cast<int>(at.line), static_cast<int>(at.column));
    };
  }
  std::lock_guard lock(m->mutex);
  errors::Error error = driver::interpretModule(*m->module, options);
  return error ? fail(std::move(error)) : done();
}

} // extern "C"
