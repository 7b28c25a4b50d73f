# Parts of the OS-facing hooks that can be tested alone; the rest is tested by programs, in tests/outside.
rv_runtime_test(test_ranges src/runtime/hooks/ranges.c)
