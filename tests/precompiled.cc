// Nothing: the target whose precompiled header all test programs read needs a file (tests/CMakeLists.txt).
