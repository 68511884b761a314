//===- Main.cpp - Checks many corrupted files in one process --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "Mutator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <ctime>
#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>

using namespace cuda_tile::fuzz;
using llvm::cl::desc;

namespace {

llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::OneOrMore,
                                  desc("<files to damage>"));
llvm::cl::opt<uint64_t> runs("runs", llvm::cl::init(20000),
                             desc("Number of inputs"));
llvm::cl::opt<uint64_t> seed("seed", llvm::cl::init(1),
                             desc("The same seed gives the same inputs"));
llvm::cl::opt<double> limit("limit", llvm::cl::init(1.0),
                            desc("CPU seconds that an input may take"));
llvm::cl::opt<std::string> artifact("artifact",
                                    llvm::cl::init("bytecode-problem"),
                                    desc("File for an input with a problem"));

llvm::cl::opt<bool> keep("keep",
                         desc("Write each input to the file before it is read, "
                              "so that it exists after a crash"));

llvm::cl::opt<std::string>
    accepted("accepted", desc("Folder for the inputs that are read"));

/// Contexts keep types and attributes, so each serves for this many inputs.
constexpr uint64_t kInputsPerContext = 256;
/// Bytes of memory per byte of a file that may stay in use after it, and what
/// may stay after a small one.
constexpr uint64_t kMemoryFactor = 1024, kMemoryBase = 4 << 20;

struct Totals {
  uint64_t accepted = 0, refused = 0;
  double slowest = 0;
};

uint64_t memoryInUse() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void write(const Bytes &input, llvm::StringRef file) {
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (error)
    llvm::errs() << "error: " << file << ": " << error.message() << "\n";
  else
    os << llvm::toStringRef(input);
}

/// CPU time of this process; wall-clock time depends on the load of the
/// machine.
double cpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Ends the process if an input takes too long; `--keep` has stored that input.
void endLater() {
  std::signal(SIGPROF, [](int) {
    constexpr char message[] = "problem: an input did not come to an end\n";
    (void)!::write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(1);
  });
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(10 * limit + 1);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Runs one input; true if all is well.
bool run(const Bytes &input, mlir::MLIRContext &context, Totals &totals) {
  uint64_t number = totals.accepted + totals.refused;
  if (keep)
    write(input, artifact);
  endLater();
  uint64_t memory = memoryInUse();
  double start = cpuSeconds();
  Outcome outcome = check(input, context);
  double seconds = cpuSeconds() - start;
  memory = std::max(memory, memoryInUse()) - memory;
  totals.slowest = std::max(totals.slowest, seconds);
  ++(outcome.accepted ? totals.accepted : totals.refused);
  if (outcome.accepted && !accepted.empty())
    write(input, accepted + "/" + std::to_string(number) + ".tileirbc");
  if (outcome.problem.empty() && seconds > limit)
    outcome.problem = "took " + std::to_string(seconds) + " s";
  if (outcome.problem.empty() &&
      memory > kMemoryBase + kMemoryFactor * input.size())
    outcome.problem = "kept " + std::to_string(memory) + " bytes of memory";
  if (outcome.problem.empty())
    return true;
  write(input, artifact);
  llvm::errs() << "problem: " << outcome.problem << " (input in " << artifact
               << ")\n";
  return false;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM initialization(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Reads damaged Tile IR bytecode files\n");
  std::vector<Bytes> corpus;
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer) {
      llvm::errs() << "error: " << file << ": " << buffer.getError().message()
                   << "\n";
      return 2;
    }
    llvm::StringRef data = (*buffer)->getBuffer();
    corpus.emplace_back(data.bytes_begin(), data.bytes_end());
  }

  Totals totals;
  Mutator mutator(seed);
  std::mt19937_64 random(seed);
  std::unique_ptr<mlir::MLIRContext> context;
  for (uint64_t i = 0; i < runs; ++i) {
    if (i % kInputsPerContext == 0)
      context = makeContext();
    const Bytes &file = corpus[random() % corpus.size()];
    const Bytes &other = corpus[random() % corpus.size()];
    if (!run(mutator.mutate(file, other), *context, totals))
      return 1;
  }
  llvm::outs() << totals.accepted + totals.refused
               << " inputs: " << totals.refused << " refused, "
               << totals.accepted << " read and written, slowest "
               << static_cast<uint64_t>(totals.slowest * 1e3) << " ms, "
               << static_cast<uint64_t>(runs / cpuSeconds())
               << " inputs per CPU second\n";
  return 0;
}
