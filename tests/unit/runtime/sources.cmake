# Unit tests of the runtime's heap and snapshot: rv_runtime_test(name sources...) builds
# tests/unit/runtime/NAME.c with these sources. raw_stub.c stands in for the runtime's raw memory functions.
set(RV_HEAP_SOURCES src/runtime/heap.c src/runtime/heap_map.c src/runtime/heap_origin.c
  tests/unit/runtime/raw_stub.c)
rv_runtime_test(test_heap ${RV_HEAP_SOURCES})

# The other parts: one file each, named after what it tests.
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cmake)
list(REMOVE_ITEM parts ${CMAKE_CURRENT_LIST_FILE})
foreach(part IN LISTS parts)
  include(${part})
endforeach()
