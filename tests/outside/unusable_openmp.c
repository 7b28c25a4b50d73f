/* unusable: uses OpenMP \(libgomp\)
 * flags: -fopenmp
 * Threads whose synchronisation cannot be seen. */
#include <omp.h>

int main(void) {
    int sum = 0;
    omp_set_num_threads(2);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++) sum += i;
    return sum != 45;
}
