#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
volatile sig_atomic_t n;void h(int s){n++;}void*w(void*a){raise(SIGUSR1);return 0;}
int main(){signal(SIGUSR1,h);raise(SIGUSR1);if(n!=1)return 1;pthread_t t;pthread_create(&t,0,w,0);pthread_join(t,0);return n!=2;}
