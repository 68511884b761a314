// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake wants one source file; everything in this library comes from archives.
