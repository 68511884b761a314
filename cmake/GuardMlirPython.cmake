# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MLIR's Python bindings with guards: guard_mlir_python.patch makes exceptions of what
# ends the process with upstream's, such as a use of an erased operation.
# Its `ir.py` loads NumPy where it is used.
# Sets `out` to the folder of the C++ files, `out_python` to that of the changed Python
# files, and puts the changed header first.

function(cuda_tile_guard_mlir_python upstream python out out_python)
  set(guarded "${CMAKE_BINARY_DIR}/mlir-python-guarded")
  set(patch "${CMAKE_SOURCE_DIR}/cmake/guard_mlir_python.patch")
  set(header mlir/Bindings/Python/IRCore.h)
  set_property(
    DIRECTORY
    APPEND
    PROPERTY
      CMAKE_CONFIGURE_DEPENDS "${patch}" "${CMAKE_SOURCE_DIR}/cmake/apply_patch.py"
  )
  find_file(
    _header
    "${header}"
    PATHS ${MLIR_INCLUDE_DIRS}
    NO_DEFAULT_PATH
    NO_CACHE
    REQUIRED
  )
  cmake_path(GET _header PARENT_PATH headers)
  file(
    COPY "${headers}/"
    DESTINATION "${guarded}/include/mlir/Bindings/Python"
    PATTERN IRCore.h
    EXCLUDE
  )
  file(
    COPY "${upstream}/"
    DESTINATION "${guarded}/lib"
    PATTERN IRCore.cpp
    EXCLUDE
    PATTERN Pass.cpp
    EXCLUDE
  )
  set(plain "${CMAKE_BINARY_DIR}/mlir-python-plain")
  configure_file("${_header}" "${plain}/include/${header}" COPYONLY)
  configure_file("${upstream}/IRCore.cpp" "${plain}/lib/IRCore.cpp" COPYONLY)
  configure_file("${upstream}/Pass.cpp" "${plain}/lib/Pass.cpp" COPYONLY)
  configure_file("${python}/ir.py" "${plain}/python/ir.py" COPYONLY)
  find_package(Python3 3.10 COMPONENTS Interpreter REQUIRED)
  execute_process(
    COMMAND
      "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/cmake/apply_patch.py" "${patch}"
      "${plain}" "${guarded}"
    RESULT_VARIABLE result
    ERROR_VARIABLE reason
  )
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "could not guard MLIR's Python bindings: ${reason}")
  endif()
  include_directories(BEFORE "${guarded}/include")
  set(${out} "${guarded}/lib" PARENT_SCOPE)
  set(${out_python} "${guarded}/python" PARENT_SCOPE)
endfunction()
