/* OpenMP: its threads wait in ways of their own. Outcome: named, never silently wrong. */
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 1; i <= 10; i++) sum += i;
    printf("%d\n", sum);
    return sum == 55 ? 0 : 1;
}
