# Taking and restoring memory, by every way the system allows.
rv_runtime_test(test_snapshot src/runtime/snapshot.c src/runtime/snapshot_track.c)
