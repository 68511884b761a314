// The generated Python classes of the tileas ops.
include "cuda_tile/Tileas/Tileas.td"
