#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
volatile sig_atomic_t n;void h(int s){n=1;}int main(){signal(SIGALRM,h);alarm(1);while(!n)pause();return 0;}
