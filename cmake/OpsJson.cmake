# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The op list that `cuda_tile.ods` reads: our ODS as TableGen sees it, reduced to
# what Python needs. Reads CUDA_TILE_PACKAGE_DIR.

set(_ops_json "${CUDA_TILE_PACKAGE_DIR}/ops.json")
set(_reduce "${CMAKE_SOURCE_DIR}/tools/ods_json.py")
set(_include "${CMAKE_SOURCE_DIR}/dialect/include")
set(_dumps "")
foreach(ods IR/Ops Tileas/Tileas Tileas/Attributes)
  string(REPLACE "/" "." _dump "${ods}")
  set(_dump "${CMAKE_CURRENT_BINARY_DIR}/${_dump}.dump.json")
  add_custom_command(
    OUTPUT "${_dump}"
    COMMAND
      llvm-tblgen --dump-json -I "${_include}" -I "${MLIR_INCLUDE_DIRS}" -d "${_dump}.d"
      -o "${_dump}" "${_include}/cuda_tile/${ods}.td"
    DEPFILE "${_dump}.d"
    DEPENDS "${_include}/cuda_tile/${ods}.td"
    COMMENT "Listing the ops of ${ods}.td"
  )
  list(APPEND _dumps "${_dump}")
endforeach()
# The attributes that passes put on ops are for docs/reference only.
list(POP_BACK _dumps _attributes)
add_custom_command(
  OUTPUT "${_ops_json}"
  COMMAND "${Python_EXECUTABLE}" "${_reduce}" "${_ops_json}" ${_dumps}
  DEPENDS "${_reduce}" ${_dumps}
  COMMENT "Writing the op list"
)
add_custom_target(CudaTileOpsJson ALL DEPENDS "${_ops_json}" "${_attributes}")
install(
  FILES "${_ops_json}"
  COMPONENT CudaTilePythonModules
  DESTINATION ${CUDA_TILE_PACKAGE_INSTALL}
)
