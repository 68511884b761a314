"""Measures the error of the functions that compiled kernels compute."""
