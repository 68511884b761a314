# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks that our compiler spells type names as the one that built libMLIR did.
#
# MLIR tells a trait by the name of its type, as the compiler spells it
# (TypeID's fallback). A library built by GCC that uses a libMLIR built by clang
# therefore does not see, for example, that builtin.module is a symbol table: it
# builds, loads, and then refuses every program.

file(
  STRINGS "${CUDA_TILE_LLVM_LIBDIR}/libMLIR.so"
  _clang_spelling
  LIMIT_COUNT 1
  REGEX "DesiredTypeName = mlir::OpTrait::SymbolTable<Empty>"
)
set(_built_with GNU)
if(_clang_spelling)
  set(_built_with Clang)
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL _built_with)
  message(
    FATAL_ERROR
    "expected a ${_built_with} compiler, as libMLIR in ${CUDA_TILE_LLVM_LIBDIR} was "
    "built with one, got ${CMAKE_CXX_COMPILER_ID} (${CMAKE_CXX_COMPILER}). Set CXX and "
    "CC, for example to clang++-22 and clang-22, and build in an empty directory"
  )
endif()
