# Helgrind's reports as pairs of lines of `source`: "12-34" for a race, "12+34" for two orders of locks.
function flush_report() {
    if (lines != "" && count > 1) print lines
    lines = ""; count = 0; open = 0
}
/Possible data race during / { flush_report(); between = "-"; open = 1 }
/This conflicts with a previous / { open = 1 }
/lock order .* violated/ { flush_report(); between = "+" }
/followed by a later acquisition of lock/ { open = 1 }
/Thread-Announcement|ERROR SUMMARY/ { flush_report() }
open && match($0, "\\(" source ":[0-9]+\\)") {
    place = substr($0, RSTART, RLENGTH - 1); sub(/.*:/, "", place)
    lines = lines (count++ ? between : "") place
    open = 0
}
END { flush_report() }
