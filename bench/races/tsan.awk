# ThreadSanitizer's reports as pairs of lines of `source`: "12-34" for a race, "12+34" for a cycle of locks.
function flush_report() {
    if (lines != "" && count > 1) print lines
    lines = ""; count = 0; open = 0
}
/^WARNING: ThreadSanitizer: / { flush_report(); between = /lock-order-inversion/ ? "+" : "-" }
/^SUMMARY: ThreadSanitizer: / { flush_report() }
# A section that is one side of it; others tell of threads and memory.
/^  [^ ]/ { open = tolower($0) ~ /^  (previous )?(atomic )?(read|write) of size / || /^  Mutex .* acquired here/ }
open && /^    #/ {
    if (!match($0, "/" source ":[0-9]+")) next
    place = substr($0, RSTART, RLENGTH); sub(/.*:/, "", place)
    lines = lines (count++ ? between : "") place
    open = 0
}
END { flush_report() }
