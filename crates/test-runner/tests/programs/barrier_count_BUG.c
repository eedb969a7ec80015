#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_barrier_t b; void*w(void*a){pthread_barrier_wait(&b);return 0;}
int main(){pthread_barrier_init(&b,0,3);pthread_t t[2];for(long i=0;i<2;i++)pthread_create(&t[i],0,w,0);for(int i=0;i<2;i++)pthread_join(t[i],0);return 0;}
