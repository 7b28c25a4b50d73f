# Kendall's tau-b of pairs of numbers, one "X Y" a line: how well two measures agree on which of two things is more. 1: always,
# -1: never, 0: as if by chance. Pairs that are equal in one measure only count in the denominator, so a measure that cannot tell
# things apart is no good. Prints "-" if one of the measures is the same everywhere: then there is nothing to agree about.
NF >= 2 { x[++n] = $1 + 0; y[n] = $2 + 0 }
END {
    for (i = 1; i < n; i++)
        for (j = i + 1; j <= n; j++) {
            a = x[i] < x[j] ? -1 : x[i] > x[j]
            b = y[i] < y[j] ? -1 : y[i] > y[j]
            agree += a * b
            left += a != 0
            right += b != 0
        }
    if (left && right) printf "%.3f\n", agree / sqrt(left * right)
    else print "-"
}
