# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One shared library with the parts of MLIR's C API that the bindings call:
# upstream's archives taken in whole, over libMLIR (which does not hold them).
# Upstream's own helper for this needs object libraries that Debian does not ship.

set(_archives "")
foreach(
  part
  IR
  Interfaces
  Debug
  Transforms
  Conversion
  Target
  Affine
  Arith
  ControlFlow
  DLTI
  Func
  GPU
  IRDL
  Index
  LLVM
  Math
  MemRef
  NVGPU
  NVVM
  PDL
  PDLInterp
  SCF
  UB
  Vector
)
  list(APPEND _archives "${CUDA_TILE_LLVM_LIBDIR}/libMLIRCAPI${part}.a")
endforeach()
list(JOIN _archives "," _archives)

add_library(CudaTileMlirCApi SHARED ${CMAKE_CURRENT_LIST_DIR}/empty.cpp)
target_link_libraries(
  CudaTileMlirCApi
  PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${_archives}>" MLIR LLVM
)
target_link_options(CudaTileMlirCApi PRIVATE LINKER:-z,defs)
set_target_properties(
  CudaTileMlirCApi
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CUDA_TILE_PACKAGE_DIR}/_mlir_libs"
)
install(
  TARGETS CudaTileMlirCApi
  COMPONENT CudaTilePythonModules
  LIBRARY DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/_mlir_libs
)
