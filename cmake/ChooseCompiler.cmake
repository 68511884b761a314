# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prefers clang, before project() picks the system's compiler: the packaged libMLIR
# is built with clang, and the two must agree (see CheckCompiler.cmake).

if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(CUDA_TILE_CLANGXX NAMES clang++-22 clang++)
  find_program(CUDA_TILE_CLANG NAMES clang-22 clang)
  if(CUDA_TILE_CLANGXX AND CUDA_TILE_CLANG)
    set(CMAKE_CXX_COMPILER "${CUDA_TILE_CLANGXX}")
    set(CMAKE_C_COMPILER "${CUDA_TILE_CLANG}")
  endif()
endif()
