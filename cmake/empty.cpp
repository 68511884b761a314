// CMake wants one source file; everything in this library comes from archives.
