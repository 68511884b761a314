# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The C API as one shared library, libCudaTileC: the dialects, our C functions and, by
# way of CudaTileMlirCApi, MLIR's own. It lies in the package beside its headers and a
# CMake file that gives C projects the target CudaTile::C. Reads CUDA_TILE_PACKAGE_DIR.

add_library(CudaTileC SHARED ${CMAKE_CURRENT_LIST_DIR}/empty.cpp)
target_link_libraries(
  CudaTileC
  PRIVATE
    CudaTileIR
    CudaTileTransforms
    CudaTileBytecode
    CudaTileCAPI
    CudaTileMlirCApi
    MLIR
    LLVM
)
target_link_options(CudaTileC PRIVATE LINKER:-z,defs)
set_target_properties(
  CudaTileC
  PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CUDA_TILE_PACKAGE_DIR}/_mlir_libs"
    BUILD_RPATH "$ORIGIN;${CUDA_TILE_LLVM_LIBDIR}"
    INSTALL_RPATH "$ORIGIN;${CUDA_TILE_LLVM_LIBDIR}"
)

# The names of the libraries that projects for other tools link.
foreach(_part Registration Dialect Optimizer)
  add_library(CudaTileCAPI${_part} ALIAS CudaTileC)
endforeach()

set(_c_headers "${CMAKE_SOURCE_DIR}/dialect/include/cuda_tile-c")
file(GLOB_RECURSE _names RELATIVE "${_c_headers}" CONFIGURE_DEPENDS "${_c_headers}/*.h")
foreach(_name ${_names})
  configure_file(
    "${_c_headers}/${_name}"
    "${CUDA_TILE_PACKAGE_DIR}/include/cuda_tile-c/${_name}"
    COPYONLY
  )
endforeach()
configure_file(
  "${CMAKE_CURRENT_LIST_DIR}/CudaTileConfig.cmake.in"
  "${CUDA_TILE_PACKAGE_DIR}/cmake/CudaTileConfig.cmake"
  @ONLY
)

install(
  TARGETS CudaTileC
  COMPONENT CudaTilePythonModules
  LIBRARY DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/_mlir_libs
)
install(
  DIRECTORY "${_c_headers}"
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/include
)
install(
  FILES "${CUDA_TILE_PACKAGE_DIR}/cmake/CudaTileConfig.cmake"
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}/cmake
)
