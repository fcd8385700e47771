// Empty: the target of the precompiled header for all test programs needs a source file (tests/CMakeLists.txt).
