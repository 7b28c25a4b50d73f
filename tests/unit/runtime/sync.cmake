# The synchronisation hooks over the fake core. Hooks and fake need unwind tables with clean-ups: cancellation
# runs them.
set(RV_SYNC_SOURCES tests/unit/runtime/fake_core.c src/runtime/native.c src/base/op.c src/base/kind.c)
foreach(part sync mutex cond rwlock spin barrier sem sem_named once guard c11)
  list(APPEND RV_SYNC_SOURCES src/runtime/hooks/${part}.c)
endforeach()
foreach(name returns misuse blocking meeting)
  rv_runtime_test(test_sync_${name} ${RV_SYNC_SOURCES})
  target_compile_options(test_sync_${name} PRIVATE -fexceptions)
endforeach()
