#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; void*w(void*a){pthread_mutex_lock(&m);pthread_mutex_lock(&m);return 0;}
int main(){pthread_t t;pthread_create(&t,0,w,0);pthread_join(t,0);return 0;}
