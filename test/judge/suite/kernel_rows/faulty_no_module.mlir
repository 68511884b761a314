the answer is 42
