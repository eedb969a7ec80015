#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER;pthread_cond_t c=PTHREAD_COND_INITIALIZER; void*w(void*a){pthread_mutex_lock(&m);for(;;)pthread_cond_wait(&c,&m);}
int main(){pthread_t t;pthread_create(&t,0,w,0);pthread_cancel(t);pthread_join(t,0);pthread_mutex_lock(&m);return 0;}
