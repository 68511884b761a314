//===- Translate.cpp - From LLVM dialect to LLVM IR and PTX ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Extension.h"
#include "InlinedCode.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace cuda_tile::python;

// The NVPTX part of LLVM's target registration, exported by libLLVM.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace {

/// Keeps LLVM's errors as text; the default handler would end the process.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(errors);
    llvm::DiagnosticPrinterRawOStream printer(os);
    os << (errors.empty() ? "" : "; ");
    info.print(printer);
    return true;
  }

  std::string &errors;
};

/// The op whose body is device code: the op itself, or the one gpu.module in a
/// builtin module that holds one. Reports an error and returns null for
/// several.
mlir::Operation *deviceModule(mlir::Operation *op) {
  mlir::Operation *found = nullptr;
  if (op->getName().getStringRef() == "builtin.module")
    for (mlir::Operation &child : op->getRegion(0).getOps()) {
      if (child.getName().getStringRef() != "gpu.module")
        continue;
      if (found) {
        mlir::emitError(op->getLoc(), "expected one gpu.module, got several");
        return nullptr;
      }
      found = &child;
    }
  return found ? found : op;
}

std::unique_ptr<llvm::Module> exportLlvm(mlir::Operation *op,
                                         llvm::LLVMContext &context) {
  mlir::Operation *device = deviceModule(op);
  return device ? mlir::translateModuleToLLVMIR(device, context) : nullptr;
}

/// The first entry of "+a,-b" that the target does not support, or "".
std::string unknownFeature(const llvm::MCSubtargetInfo &subtarget,
                           llvm::StringRef features) {
  llvm::SmallVector<llvm::StringRef> entries;
  features.split(entries, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    bool known = llvm::any_of(
        subtarget.getAllProcessorFeatures(),
        [&](const auto &feature) { return entry.drop_front() == feature.Key; });
    if (!entry.starts_with("+") && !entry.starts_with("-"))
      known = false;
    if (!known)
      return entry.str();
  }
  return "";
}

/// Addresses shared, constant and local memory with 32 bits, which halves the
/// registers of such pointers. LLVM offers this as a process-wide flag only.
void useShortPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("nvptx-short-ptr");
  if (found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
}

const llvm::Target *nvptxTarget(mlir::Operation *op,
                                const llvm::Triple &triple) {
  static bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  useShortPointers();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    mlir::emitError(op->getLoc(), "this LLVM has no NVPTX target: ") << error;
  return target;
}

std::unique_ptr<llvm::TargetMachine>
createTargetMachine(mlir::Operation *op, const std::string &chip,
                    const std::string &features, int optLevel) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = nvptxTarget(op, triple);
  if (!target)
    return nullptr;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!subtarget->isCPUStringValid(chip)) {
    mlir::emitError(op->getLoc(),
                    "expected a chip that LLVM's NVPTX target knows, got '")
        << chip << "'";
    return nullptr;
  }
  std::string unknown = unknownFeature(*subtarget, features);
  if (!unknown.empty()) {
    mlir::emitError(op->getLoc(), "expected features such as '+ptx88', got '")
        << unknown << "'";
    return nullptr;
  }
  // Without coalescing, level 0, values that loops carry are copied between
  // registers, among them sums that asynchronous products still write.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, features, {}, std::nullopt, std::nullopt,
      static_cast<llvm::CodeGenOptLevel>(std::max(optLevel, 1))));
}

/// Instructions that the copies of one library function may take in all outside
/// of loops. Beyond that each call there stays a call: a tile of which every
/// thread holds many elements would become code that takes long to assemble and
/// is run once.
constexpr unsigned maxInlinedInstructions = 16384;

/// The calls of a function that stand in loops. A call there ends what runs at
/// the same time: ptxas waits for products in flight, and the caller's
/// registers go to memory.
std::vector<llvm::CallBase *> callsInLoops(llvm::Function &callee) {
  llvm::DenseMap<llvm::Function *, std::unique_ptr<llvm::LoopInfo>> loops;
  std::vector<llvm::CallBase *> found;
  for (llvm::User *user : callee.users()) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call)
      continue;
    std::unique_ptr<llvm::LoopInfo> &info = loops[call->getFunction()];
    if (!info)
      info = std::make_unique<llvm::LoopInfo>(
          llvm::DominatorTree(*call->getFunction()));
    if (info->getLoopFor(call->getParent()))
      found.push_back(call);
  }
  return found;
}

/// Keeps the linked functions to this module and decides which calls are
/// inlined; the library asks for all of them, whatever their number.
void limitInlining(llvm::Module &module, const llvm::StringSet<> &linked) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !linked.contains(function.getName()))
      continue;
    if (!function.hasFnAttribute(llvm::Attribute::AlwaysInline))
      continue;
    size_t size = function.getInstructionCount() * function.getNumUses();
    if (size <= maxInlinedInstructions)
      continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::CallBase *call : callsInLoops(function))
      call->addFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::User *user : function.users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        if (!call->hasFnAttr(llvm::Attribute::AlwaysInline))
          call->addFnAttr(llvm::Attribute::NoInline);
  }
}

/// Links those functions of a bitcode library that the module calls, with what
/// they need; reads no other function's body.
bool linkLibrary(llvm::Module &module, const std::string &path,
                 std::string &errors) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, diagnostic, module.getContext());
  if (!library) {
    errors = "cannot read the library " + path + ": " +
             diagnostic.getMessage().str();
    return false;
  }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  llvm::StringSet<> linked;
  auto internalize = [&](llvm::Module &merged, const llvm::StringSet<> &names) {
    for (const auto &name : names)
      if (llvm::GlobalValue *value = merged.getNamedValue(name.getKey()))
        if (!value->isDeclaration())
          value->setLinkage(llvm::GlobalValue::InternalLinkage);
    linked = names;
  };
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::LinkOnlyNeeded, internalize))
    return false;
  limitInlining(module, linked);
  return true;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  if (level == 0)
    return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2,
                                            llvm::OptimizationLevel::O3};
  builder.buildPerModuleDefaultPipeline(levels[level - 1]).run(module, modules);
}

/// Whether there are line tables without further debug info, in which LLVM
/// would describe inlined code itself.
bool hasLinesOnly(const llvm::Module &module) {
  return llvm::any_of(module.debug_compile_units(),
                      [](const llvm::DICompileUnit *unit) {
                        return unit->getEmissionKind() ==
                               llvm::DICompileUnit::DebugDirectivesOnly;
                      });
}

/// Optimises the module and prints it as PTX; returns false where the target
/// has no assembly printer.
bool emitPtx(llvm::Module &module, llvm::TargetMachine &machine, int optLevel,
             llvm::SmallVectorImpl<char> &text) {
  optimize(module, machine, optLevel);
  InlinedCode inlined;
  if (hasLinesOnly(module))
    inlined.mark(module);
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return false;
  codegen.run(module);
  inlined.spell(text);
  return true;
}

std::string translateToPtx(nb::handle object, const std::string &chip,
                           const std::string &features, int optLevel,
                           const std::string &library) {
  if (optLevel < 0 || optLevel > 3)
    throw nb::value_error("expected an opt_level of 0 to 3");
  mlir::Operation *op = operationOf(object);
  py::PyMlirContext::ErrorCapture errors(
      py::PyMlirContext::forContext(wrap(op->getContext())));
  auto fail = [&]() -> py::MLIRError {
    return py::MLIRError("translation to PTX failed", errors.take());
  };
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(op, chip, features, optLevel);
  llvm::LLVMContext context;
  std::string llvmErrors;
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(llvmErrors));
  std::unique_ptr<llvm::Module> module =
      machine ? exportLlvm(op, context) : nullptr;
  if (!module)
    throw fail();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());

  llvm::SmallString<0> text;
  {
    // Only LLVM runs here, on a module of its own.
    nb::gil_scoped_release release;
    if (library.empty() || linkLibrary(*module, library, llvmErrors))
      if (!emitPtx(*module, *machine, optLevel, text) && llvmErrors.empty())
        llvmErrors = "this LLVM has no PTX printer";
  }
  if (!llvmErrors.empty()) {
    mlir::emitError(op->getLoc()) << llvmErrors;
    throw fail();
  }
  return text.str().str();
}

std::string translateToLlvmIr(nb::handle object) {
  mlir::Operation *op = operationOf(object);
  py::PyMlirContext::ErrorCapture errors(
      py::PyMlirContext::forContext(wrap(op->getContext())));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = exportLlvm(op, context);
  if (!module)
    throw py::MLIRError("translation to LLVM IR failed", errors.take());
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, nullptr);
  return text;
}

} // namespace

void cuda_tile::python::populateTranslate(nb::module_ &m) {
  m.def(
      "translate_to_llvmir", &translateToLlvmIr, nb::arg("op"),
      "Returns the LLVM IR text of a gpu.module, or of the builtin module that "
      "holds it.\n\nRaises:\n  MLIRError: With the diagnostics.");
  m.def(
      "llvm_version",
      [] {
        unsigned major, minor, patch;
        LLVMGetVersion(&major, &minor, &patch);
        return (llvm::Twine(major) + "." + llvm::Twine(minor) + "." +
                llvm::Twine(patch))
            .str();
      },
      "The version of the LLVM library that is loaded.");
  m.def("translate_to_ptx", &translateToPtx, nb::arg("op"), nb::arg("chip"),
        nb::arg("features") = "", nb::arg("opt_level") = 2,
        nb::arg("library") = "",
        "Returns the PTX text of a gpu.module, or of the builtin module that "
        "holds it, made in this process by LLVM's NVPTX target.\n\n"
        "Args:\n"
        "  op: The module; functions that stay undefined become .extern.\n"
        "  chip: For example sm_90a.\n"
        "  features: For example +ptx88, which raises the PTX version.\n"
        "  opt_level: 0 to 3, of LLVM's pipeline and code generator.\n"
        "  library: Path of a bitcode file whose functions the module calls; "
        "empty for none.\n\n"
        "Raises:\n  MLIRError: With the diagnostics.");
}
