# The memory and string hooks over a recorder, and the runtime's own allocator.
rv_runtime_test(test_text src/runtime/bytes.c src/runtime/hooks/memory.c src/runtime/hooks/string.c
  src/runtime/hooks/string_copy.c)
target_compile_options(test_text PRIVATE -fno-builtin -U_FORTIFY_SOURCE)
rv_runtime_test(test_internal_heap src/runtime/internal_heap.c)
