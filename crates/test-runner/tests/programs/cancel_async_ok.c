#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
volatile int go;void*w(void*a){int o;pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS,&o);__atomic_store_n(&go,1,5);for(;;)sched_yield();}
int main(){pthread_t t;void*r;pthread_create(&t,0,w,0);while(!__atomic_load_n(&go,5))sched_yield();pthread_cancel(t);pthread_join(t,&r);return r!=PTHREAD_CANCELED;}
